package brenner

// Codes of the pages.
const (
	CodeFormExpired Code = "FORM_EXPIRED"
)

func webCodes() []CodeInfo {
	return []CodeInfo{
		row(CodeFormExpired, ClassDenied, "A form was sent that this browser did not get from this server.", "Reload the page and send the form again."),
	}
}
