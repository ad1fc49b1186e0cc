package brenner

var anchorCodes = []CodeInfo{}
