package brenner

// Codes of the pages.
const (
	CodeFormExpired Code = "FORM_EXPIRED"
)

var webCodes = []CodeInfo{
	row(CodeFormExpired, ClassDenied, "A form was sent that this browser did not get from this server.", "Reload the page and send the form again."),
}
