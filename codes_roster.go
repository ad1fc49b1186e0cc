package brenner

var rosterCodes = []CodeInfo{}
