//go:build !unix

package patchfs

import (
	"io/fs"
	"os"
)

func ownership(fs.FileInfo) []string { return nil }

func ours(fs.FileInfo) bool { return true }

func keepOwner(*os.File, fs.FileInfo) []string { return nil }

func diskFull(error) bool { return false }
