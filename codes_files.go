package brenner

// Codes of files in and out (X6).
const (
	CodeInvalidFrontMatter Code = "INVALID_FRONT_MATTER"
	CodeFilesChanged       Code = "FILES_CHANGED"
	CodeFileProtected      Code = "FILE_PROTECTED"
	CodeMetadataLost       Code = "METADATA_LOST"
	CodeDiskFull           Code = "DISK_FULL"
)

var fileCodes = []CodeInfo{
	{CodeInvalidFrontMatter, ClassInvalid, "The YAML at the top of a file is missing, broken or says something it may not.", "Mend it at the line given; check the file out again to see its form."},
	{CodeFilesChanged, ClassConflict, "A file was changed since it was checked out, and writing would overwrite it.", "Commit it with `brenner commit`, or repeat with --force."},
	{CodeFileProtected, ClassDenied, "A file to be written is read-only, belongs to somebody else, or has several names (hard links).", "Make it yours to write, or repeat with --force."},
	{CodeMetadataLost, ClassInvalid, "A file was replaced, and an owner, a name or an attribute of the old one could not be kept.", "Set it again by hand if it matters."},
	{CodeDiskFull, ClassUnavailable, "There is no room left on the disk.", "Make room and run it again; nothing was half done, or it is finished then."},
}
