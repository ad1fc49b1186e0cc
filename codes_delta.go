package brenner

var deltaCodes = []CodeInfo{}
