import SeaCore
import SeaStore

// Recovery has a key and no device: its chain is written by whoever has the key, here, in between.

extension Author {
  /// Runs `body`, which writes to the chain of another instance whose keys are at hand.
  /// - Parameter name: what it is called in its first block, if it has none.
  package func act<Result>(as identity: Identity, named name: String, _ body: () throws -> Result) throws -> Result {
    try keychain.open(as: identity)
    try keychain.prepare()
    return try store.locked {
      try ensureSole()
      let (own, ownIdentity) = (folder.instance, keychain.identityAtHand)
      keychain.become(identity.instance, identity)
      isActing = true
      defer {
        isActing = false
        keychain.become(own, ownIdentity)
      }
      if try store.branches.chain(identity.instance) == nil { try write { try appendGenesis(name: name) } }
      return try body()
    }
  }
}
