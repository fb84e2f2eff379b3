import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Somebody who wants to be let in, or is in.
package struct Candidate: Sendable {
  package var instance: UUID
  /// As it calls itself; empty if it does not.
  package var name: String
  /// Ed25519 and X25519.
  package var key: [UInt8]
  package var exchange: [UInt8]

  package var words: FingerprintWords { FingerprintWords(key: key, exchange: exchange) }
}

// Whom one can let in: those who ask, and those who have a chain.

extension Access {
  /// Whom a text names: an instance by name or id, or a request that was left in a container.
  package func candidate(_ text: String) throws -> Candidate {
    let chains = try store.branches.chains()
    let asked = try requests.all()
    let open = try requests.open(among: asked)
    let silent = try silentMembers(asked)
    var names = try members.instanceNames(chains)
    names.all += open.map { InstanceNames.One(instance: $0.instance, name: $0.name, isMember: false) }
    names.all += silent.map { InstanceNames.One(instance: $0.instance, name: $0.name, isMember: true) }
    let instance = try names.instance(text)
    if let one = (open + silent).first(where: { $0.instance == instance }) { return one }
    let chain = chains.first { $0.instance == instance }!
    return Candidate(
      instance: chain.instance, name: chain.name, key: chain.publicKey,
      exchange: try store.branches.exchangeKey(of: chain.instance) ?? [])
  }

  /// Those who were let in and have written nothing yet.
  private func silentMembers(_ asked: [Candidate]) throws -> [Candidate] {
    let names = try requests.names(asked)
    return try members.membership()?.known.compactMap { standing in
      guard let key = standing.key, let exchange = standing.exchange, try store.branches.chain(standing.instance) == nil
      else { return nil }
      return Candidate(
        instance: standing.instance, name: names[standing.instance] ?? "", key: key, exchange: exchange)
    } ?? []
  }

  /// The member that a text names: by its name or id.
  package func member(_ text: String) throws -> InstanceView {
    let all = try instances()
    let names = InstanceNames(
      all: all.map {
        InstanceNames.One(
          instance: $0.instance, name: $0.name, isMember: $0.state != .pending, line: $0.line, isFollowed: $0.isFollowed
        )
      })
    let instance = try names.instance(text)
    return all.first { $0.instance == instance }!
  }

  /// Whom a join request is from.
  /// - Parameter name: of the file; where it is that of an instance it has to be that of the author.
  package func candidate(request bytes: [UInt8], named name: String = "") throws -> Candidate {
    let database = folder.databaseID
    let request =
      try UUID(name).map { instance throws(CoreError) in
        try JoinRequest(bytes, of: instance, in: database)
      } ?? JoinRequest(bytes, in: database)
    return Candidate(instance: request.instance, name: request.name, key: request.key, exchange: request.exchange)
  }

  /// This instance as others let it in.
  package func ownCandidate() throws -> Candidate {
    let identity = try keychain.identity()
    return Candidate(
      instance: folder.instance, name: try folder.name(), key: identity.key, exchange: try identity.exchangeKey())
  }
}
