package brenner

// Codes of files in and out (X6).
const (
	CodeInvalidFrontMatter Code = "INVALID_FRONT_MATTER"
	CodeFilesChanged       Code = "FILES_CHANGED"
	CodeFileProtected      Code = "FILE_PROTECTED"
	CodeMetadataLost       Code = "METADATA_LOST"
	CodeDiskFull           Code = "DISK_FULL"
)

func fileCodes() []CodeInfo {
	return []CodeInfo{
		row(CodeInvalidFrontMatter, ClassInvalid, "The YAML at the top of a file is missing, broken or says something it may not.", "Mend it at the line given; check the file out again to see its form."),
		row(CodeFilesChanged, ClassConflict, "A file was changed since it was checked out, and writing would overwrite it.", "Commit the changed files, or have them overwritten.",
			Do("commit").Asking("dir"), Again("force", "true")),
		row(CodeFileProtected, ClassDenied, "A file to be written is read-only, belongs to somebody else, or has several names (hard links).", "Make it yours to write, or have it replaced all the same.",
			Again("force", "true")),
		row(CodeMetadataLost, ClassInvalid, "A file was replaced, and an owner, a name or an attribute of the old one could not be kept.", "Set it again by hand if it matters."),
		row(CodeDiskFull, ClassUnavailable, "There is no room left on the disk.", "Make room and run it again; nothing was half done, or it is finished then."),
	}
}
