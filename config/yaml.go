package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"brenner"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// yaml reads the file as YAML, without what lets a small file stand for a large
// one or a value be something other than data: anchors, aliases, merge keys,
// tags, complex keys, directives and several documents.
func (in source) yaml() (document, error) {
	tokens := lexer.Tokenize(string(in.text))
	if err := in.checkTokens(tokens); err != nil {
		return document{}, err
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return document{}, in.yamlFault(err)
	}
	empty := document{json: []byte("{}"), places: []place{{1, 1}}}
	switch {
	case len(file.Docs) == 0 || len(file.Docs) == 1 && file.Docs[0].Body == nil:
		return empty, nil
	case len(file.Docs) > 1:
		return document{}, in.refuse(brenner.CodeInvalidConfig, yamlPlace(file.Docs[1].Start), "a second YAML document; the file may have one")
	}
	if _, blank := file.Docs[0].Body.(*ast.NullNode); blank {
		return empty, nil
	}
	var doc document
	return doc, in.yamlValue(&doc, file.Docs[0].Body, 0)
}

// refusedTokens says in words what the file may not contain.
var refusedTokens = map[token.Type]string{
	token.AnchorType:     "an anchor (&)",
	token.AliasType:      "an alias (*)",
	token.MergeKeyType:   "a merge key (<<)",
	token.TagType:        "a tag (!)",
	token.MappingKeyType: "a complex key (?)",
	token.DirectiveType:  "a directive (%)",
}

// checkTokens refuses what yaml leaves out, and bounds number and nesting of
// the tokens before the parser, which recurses, sees them.
func (in source) checkTokens(tokens token.Tokens) error {
	if len(tokens) > brenner.MaxYAMLTokens {
		return in.refuse(brenner.CodeLimitExceeded, yamlPlace(tokens[brenner.MaxYAMLTokens]),
			"more than %d YAML tokens", brenner.MaxYAMLTokens).WithHint("write a file of this size in JSON")
	}
	var nest nesting
	for i, tok := range tokens {
		if what, bad := refusedTokens[tok.Type]; bad {
			return in.refuse(brenner.CodeInvalidConfig, yamlPlace(tok), "%s is not allowed here", what).
				WithHint("write the value itself; quote it if it is text")
		}
		var prev *token.Token
		if i > 0 {
			prev = tokens[i-1]
		}
		if nest.add(prev, tok) > brenner.MaxJSONDepth {
			return in.tooDeep(yamlPlace(tok))
		}
	}
	return nil
}

// nesting follows how deep the tokens go: brackets, and block collections by
// the column they start in.
type nesting struct {
	flow  int
	block []opening
}

type opening struct {
	column int
	list   bool
}

func (n *nesting) add(prev, tok *token.Token) int {
	switch tok.Type {
	case token.MappingStartType, token.SequenceStartType:
		n.flow++
	case token.MappingEndType, token.SequenceEndType:
		n.flow--
	case token.SequenceEntryType:
		n.open(opening{tok.Position.Column, true})
	case token.MappingValueType:
		if n.flow == 0 && prev != nil {
			n.open(opening{prev.Position.Column, false})
		}
	}
	return n.flow + len(n.block)
}

// open enters the collection that starts here and leaves those that it ends. A
// list may start in the column of the key that holds it.
func (n *nesting) open(o opening) {
	for len(n.block) > 0 {
		top := n.block[len(n.block)-1]
		if top == o {
			return
		}
		if top.column < o.column || top.column == o.column && o.list {
			break
		}
		n.block = n.block[:len(n.block)-1]
	}
	n.block = append(n.block, o)
}

func (in source) yamlValue(doc *document, v ast.Node, depth int) error {
	at := yamlPlace(v.GetToken())
	if depth >= brenner.MaxJSONDepth {
		return in.tooDeep(at)
	}
	switch v := v.(type) {
	case *ast.MappingNode:
		return in.yamlObject(doc, v.Values, at, depth)
	case *ast.MappingValueNode:
		return in.yamlObject(doc, []*ast.MappingValueNode{v}, at, depth)
	case *ast.SequenceNode:
		doc.places = append(doc.places, at)
		doc.json = append(doc.json, '[')
		for i, item := range v.Values {
			if i > 0 {
				doc.json = append(doc.json, ',')
			}
			if err := in.yamlValue(doc, item, depth+1); err != nil {
				return err
			}
		}
		doc.json = append(doc.json, ']')
		return nil
	}
	scalar, err := in.yamlScalar(v, at)
	doc.places = append(doc.places, at)
	doc.json = append(doc.json, scalar...)
	return err
}

// yamlScalar is a value that holds no others, as JSON.
func (in source) yamlScalar(v ast.Node, at place) ([]byte, error) {
	switch v := v.(type) {
	case *ast.StringNode:
		// The library takes some plain numbers, such as 1e3, for text.
		if v.Token.Type == token.StringType && isNumber(v.Value) {
			return []byte(v.Value), nil
		}
		return appendQuoted(nil, v.Value), nil
	case *ast.LiteralNode:
		return appendQuoted(nil, v.Value.Value), nil
	case *ast.IntegerNode:
		if w := strings.TrimLeft(v.Token.Value, "+-"); len(w) > 1 && w[0] == '0' && w[1] <= '9' {
			return nil, in.refuse(brenner.CodeInvalidConfig, at, "%s starts with a zero: octal to some, decimal to others", v.Token.Value).
				WithHint("drop the zero, or put the value in quotes")
		}
		return fmt.Append(nil, v.Value), nil
	case *ast.FloatNode:
		if math.IsInf(v.Value, 0) || math.IsNaN(v.Value) {
			return nil, in.refuse(brenner.CodeInvalidConfig, at, "the number is too large")
		}
		return strconv.AppendFloat(nil, v.Value, 'g', -1, 64), nil
	case *ast.BoolNode:
		return strconv.AppendBool(nil, v.Value), nil
	case *ast.NullNode:
		return []byte("null"), nil
	}
	return nil, in.refuse(brenner.CodeInvalidConfig, at, "%q is not a value that is allowed here", v.GetToken().Value)
}

func (in source) yamlObject(doc *document, pairs []*ast.MappingValueNode, at place, depth int) error {
	// The library places a block mapping at its first colon.
	if len(pairs) > 0 {
		key := yamlPlace(pairs[0].Key.GetToken())
		if pairs[0].GetToken().Position.Line == at.line && key.column < at.column {
			at = key
		}
	}
	doc.places = append(doc.places, at)
	doc.json = append(doc.json, '{')
	for i, pair := range pairs {
		if i > 0 {
			doc.json = append(doc.json, ',')
		}
		keyAt := yamlPlace(pair.Key.GetToken())
		key, ok := pair.Key.(*ast.StringNode)
		if !ok {
			return in.refuse(brenner.CodeInvalidConfig, keyAt, "the key %s is not a string", pair.Key.GetToken().Value).
				WithHint("put the key in quotes")
		}
		doc.places = append(doc.places, keyAt)
		doc.json = append(appendQuoted(doc.json, key.Value), ':')
		if err := in.yamlValue(doc, pair.Value, depth+1); err != nil {
			return err
		}
	}
	doc.json = append(doc.json, '}')
	return nil
}

// yamlFault says what is wrong with the YAML, and where.
func (in source) yamlFault(err error) error {
	var e yaml.Error
	if !errors.As(err, &e) || e.GetToken() == nil {
		return in.refuse(brenner.CodeInvalidConfig, place{1, 1}, "not valid YAML").Because(err)
	}
	return in.refuse(brenner.CodeInvalidConfig, yamlPlace(e.GetToken()), "not valid YAML: %s", e.GetMessage()).Because(err)
}

func yamlPlace(tok *token.Token) place {
	if tok == nil || tok.Position == nil {
		return place{1, 1}
	}
	return place{tok.Position.Line, tok.Position.Column}
}
