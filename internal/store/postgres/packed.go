package postgres

import (
	"bytes"
	"compress/flate"
	"io"
	"sync"
)

// leastPacked is the length from which on a content is tried to be packed:
// below it there is nothing to gain.
const leastPacked = 256

// mostPacked is how many bytes no byte of what is packed stands for more than:
// a size beyond that is not the one that was written, and no memory is made for it.
const mostPacked = 1032

var (
	packers   = sync.Pool{New: func() any { w, _ := flate.NewWriter(nil, flate.BestSpeed); return w }}
	unpackers = sync.Pool{New: func() any { return flate.NewReader(nil) }}
)

// pack gives the bytes that a content is kept as. Where they are packed, size
// is the length of the content; it is nil where packing saves less than an
// eighth, and the content is kept as it is.
func pack(content []byte) (body []byte, size *int32) {
	if len(content) < leastPacked {
		return filled(content), nil
	}
	var b bytes.Buffer
	b.Grow(len(content))
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&b)
	_, err := w.Write(content)
	if err == nil {
		err = w.Close()
	}
	if err != nil || b.Len() > len(content)-len(content)/8 {
		return content, nil
	}
	n := int32(len(content))
	return b.Bytes(), &n
}

// unpack gives the content that was kept so. Bytes that do not unpack to that
// length are not those that were written: they are given as they are, and like
// all that was tampered with they do not have the hash of the content.
func unpack(body []byte, size *int32) []byte {
	if body == nil || size == nil || *size < 0 || int(*size)/mostPacked > len(body) {
		return body
	}
	r := unpackers.Get().(io.ReadCloser)
	defer unpackers.Put(r)
	content := make([]byte, *size)
	err := r.(flate.Resetter).Reset(bytes.NewReader(body), nil)
	if err == nil {
		_, err = io.ReadFull(r, content)
	}
	if err != nil {
		return body
	}
	return content
}
