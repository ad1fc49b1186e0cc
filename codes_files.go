package brenner

// Codes of files in and out (X6).
const (
	CodeInvalidFrontMatter Code = "INVALID_FRONT_MATTER"
	CodeFilesChanged       Code = "FILES_CHANGED"
)

var fileCodes = []CodeInfo{
	{CodeInvalidFrontMatter, ClassInvalid, "The YAML at the top of a file is missing, broken or says something it may not.", "Mend it at the line given; check the file out again to see its form."},
	{CodeFilesChanged, ClassConflict, "A file was changed since it was checked out, and writing would overwrite it.", "Commit it with `brenner commit`, or repeat with --force."},
}
