package app

import (
	"context"
	"time"

	"brenner/api"
	"brenner/internal/app/history"
	"brenner/internal/app/kernel"
	"brenner/internal/mail"
	"brenner/internal/store"
)

// Options are what the application needs from outside.
type Options struct {
	// Clock tells the time; nil: time.Now.
	Clock func() time.Time
	// Scratch opens an empty throw-away store, for verifying the tables.
	Scratch func(ctx context.Context) (store.Store, error)
	// Keys keeps the keys that sign checkpoints, outside the project.
	Keys Keyring
	// Witness remembers how far the journal was, outside the project.
	Witness Witness
	// EmbedKey names the environment variable that holds the key for the remote
	// embedding endpoint at an address, "" if it is sent none, or says why the
	// endpoint is asked nothing; nil: any is asked, without a key.
	EmbedKey func(address string) (variable string, err error)
	// Mail reaches the Agent Mail server; nil: there is none. What the caller
	// leaves open in the options (address, token, project) is for it to say.
	Mail func(mail.Options) (mail.Transport, error)
	// Seen is what a run does whose runner is another process of this machine;
	// nil: nobody knows.
	Seen func(api.RunInfo) (api.RunBeat, bool)
}

// Identity is who asks and how we know.
type Identity = kernel.Identity

// How an actor was authenticated (J1).
const (
	AuthOwner = kernel.AuthOwner
	AuthAs    = kernel.AuthAs
	AuthLogin = kernel.AuthLogin
	// AuthServer is the server itself, for the person who leads.
	AuthServer = kernel.AuthServer
)

// Automation is who does what happens by itself (A1).
var Automation = kernel.Automation

// Keyring keeps the keys that sign checkpoints.
type Keyring = history.Keyring

// Witness remembers how far the journal was, outside the project.
type Witness = history.Witness
