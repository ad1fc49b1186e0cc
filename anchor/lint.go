package anchor

// joins says that an edit leaves two lines as one: where it ends, a line began,
// and none begins there any more.
func joins(text string, e edit) bool {
	if e.end == len(text) || !lineStart(text, e.end) {
		return false
	}
	if e.text == "" {
		return !lineStart(text, e.start)
	}
	return e.text[len(e.text)-1] != '\n'
}

func lineStart(text string, at int) bool { return at == 0 || text[at-1] == '\n' }
