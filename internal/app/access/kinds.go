package access

import (
	"brenner/internal/app/kernel"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		kindTokenIssued,
		kindTokenRevoked,
		kindTokenProlonged,
	}
}

var (
	kindTokenIssued    = kernel.Kind[tokenIssued]{Name: "token.issued"}
	kindTokenRevoked   = kernel.Kind[tokenRevoked]{Name: "token.revoked"}
	kindTokenProlonged = kernel.Kind[tokenProlonged]{Name: "token.prolonged"}
)
