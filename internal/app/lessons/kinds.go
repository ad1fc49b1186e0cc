package lessons

import (
	"brenner/internal/app/kernel"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		kindBulletUpdated,
		kindPlaybookFrozen,
	}
}

var (
	kindBulletUpdated  = kernel.Kind[bulletUpdated]{Name: "bullet.updated", Apply: applyBulletUpdated}
	kindPlaybookFrozen = kernel.Kind[playbookFrozen]{Name: "playbook.frozen", Apply: applyPlaybookFrozen}
)
