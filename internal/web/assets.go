package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"mime"
	"net/http"
	"path"
)

//go:embed assets
var assetFiles embed.FS

// asset serves the stylesheet, the script and the icon. Their addresses carry
// a digest of their content (see assetPath), so a browser may keep them.
func asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	data, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(data)
}

// assetPath is the address of an asset.
func assetPath(name string) (string, error) {
	data, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return "/assets/" + name + "?v=" + hex.EncodeToString(sum[:6]), nil
}
