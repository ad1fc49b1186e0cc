package web

import (
	"html/template"
	"net/url"
	"strings"
	"sync"

	"brenner"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
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
		goldmark.WithExtensions(strikes{}, smallTables{}, affordable{}),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(tamer{}, 1000))),
	)
})

// markdown gives a text as HTML that is safe to show. A text that would take
// more than its share of memory or time is shown as far as that goes, or as it
// is written, and the page says so.
func markdown(source string) template.HTML {
	source, cut := clipMarkdown(source)
	b := bounded{most: brenner.MaxMarkdownOutput}
	pc := parser.NewContext()
	if err := prose().Convert([]byte(source), &b, parser.WithContext(pc)); err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(source) + "</pre>" + stopped)
	}
	if cut || pc.Get(overBounds) != nil {
		b.WriteString(stopped)
	}
	return template.HTML(b.String())
}

// tamer makes a parsed text harmless.
type tamer struct{}

// headingsBelow is the level of the heading that a text stands under.
const headingsBelow = 2

func (tamer) Transform(doc *ast.Document, reader text.Reader, pc parser.Context) {
	links := 0
	var found []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			found = append(found, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range found {
		switch n.(type) {
		case *ast.Image, *ast.Link, *ast.AutoLink:
			if links++; links > brenner.MaxMarkdownLinks {
				pc.Set(overBounds, true)
				onlyWords(n, reader.Source())
				continue
			}
		}
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
				onlyWords(n, reader.Source())
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
	onlyWords(n, nil)
}

// onlyWords puts the words of a link in its place.
func onlyWords(n ast.Node, source []byte) {
	parent := n.Parent()
	if auto, ok := n.(*ast.AutoLink); ok {
		parent.ReplaceChild(parent, n, ast.NewString(auto.Label(source)))
		return
	}
	words := ast.NewTextBlock()
	moveChildren(words, n)
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
