package brenner

var contextCodes = []CodeInfo{}
