package brenner

var playbookCodes = []CodeInfo{}
