package web

import (
	"bytes"
	"html/template"
	"net/url"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// prose renders Markdown of strangers. Raw HTML is left out; images become
// links, so that reading a text tells nobody that it was read; links lead to
// the web or to a mail address, or nowhere; headings go below those of the
// page.
var prose = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(
			extension.Strikethrough,
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), // no style attributes
		),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(tamer{}, 1000))),
	)
})

// markdown gives a text as HTML that is safe to show.
func markdown(source string) template.HTML {
	var b bytes.Buffer
	if err := prose().Convert([]byte(source), &b); err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(source) + "</pre>")
	}
	return template.HTML(b.String())
}

// tamer makes a parsed text harmless.
type tamer struct{}

// headingsBelow is the level of the heading that a text stands under.
const headingsBelow = 2

func (tamer) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	var found []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			found = append(found, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range found {
		switch n := n.(type) {
		case *ast.Heading:
			n.Level = min(n.Level+headingsBelow, 6)
		case *ast.Image:
			link := ast.NewLink()
			link.Destination = n.Destination
			moveChildren(link, n)
			if !link.HasChildren() {
				link.AppendChild(link, ast.NewString([]byte("image")))
			}
			n.Parent().ReplaceChild(n.Parent(), n, link)
			tameLink(link)
		case *ast.Link:
			tameLink(n)
		case *ast.AutoLink:
			if !leadsOut(string(n.URL(reader.Source()))) && n.AutoLinkType != ast.AutoLinkEmail {
				n.Parent().ReplaceChild(n.Parent(), n, ast.NewString(n.Label(reader.Source())))
				continue
			}
			n.SetAttributeString("rel", []byte(outside))
		}
	}
}

// outside is what a link to another site says about us: nothing.
const outside = "noopener noreferrer nofollow"

// tameLink lets a link lead out, or takes it away and leaves its words.
func tameLink(n *ast.Link) {
	if leadsOut(string(n.Destination)) {
		n.SetAttributeString("rel", []byte(outside))
		return
	}
	words := ast.NewTextBlock()
	moveChildren(words, n)
	parent := n.Parent()
	for c := words.FirstChild(); c != nil; c = words.FirstChild() {
		parent.InsertBefore(parent, n, c)
	}
	parent.RemoveChild(parent, n)
}

func moveChildren(to, from ast.Node) {
	for c := from.FirstChild(); c != nil; c = from.FirstChild() {
		to.AppendChild(to, c)
	}
}

// leadsOut reports whether an address is one of the web or of a mailbox.
func leadsOut(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return u.Opaque != ""
	}
	return false
}
