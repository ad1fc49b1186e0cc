package delta

var fieldAliases = map[Section]map[string]string{}
