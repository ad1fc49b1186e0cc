// Package brenner is the vocabulary of the product: the names of things, the
// codes of what can go wrong, and the limits of what is accepted. It holds no
// logic beyond checking that a name is a name.
//
// Everything else stands on it. The packages beside this one (artifact, delta,
// roster, anchor, stalemate, playbook, policy, assembly, lineage) are the
// protocols, pure and readable without knowing a database; internal holds the
// machinery that stores, serves and shows them.
package brenner
