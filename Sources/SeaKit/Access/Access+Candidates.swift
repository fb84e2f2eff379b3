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
    let chains = try store.blocks.chains()
    let asked = try asked()
    let requests = try requests(asked)
    let silent = try silentMembers(asked)
    var names = try members.instanceNames(chains)
    names.all += requests.map { InstanceNames.One(instance: $0.instance, name: $0.name, isMember: false) }
    names.all += silent.map { InstanceNames.One(instance: $0.instance, name: $0.name, isMember: true) }
    let instance = try names.instance(text)
    if let one = (requests + silent).first(where: { $0.instance == instance }) { return one }
    let chain = chains.first { $0.instance == instance }!
    return Candidate(
      instance: chain.instance, name: chain.name, key: chain.publicKey,
      exchange: try store.blocks.exchangeKey(of: chain.instance) ?? [])
  }

  /// Those who were let in and have written nothing yet.
  private func silentMembers(_ asked: [Candidate]) throws -> [Candidate] {
    let names = names(asked)
    return try members.membership()?.known.compactMap { standing in
      guard let key = standing.key, let exchange = standing.exchange, try store.blocks.chain(standing.instance) == nil
      else { return nil }
      return Candidate(
        instance: standing.instance, name: names[standing.instance] ?? "", key: key, exchange: exchange)
    } ?? []
  }

  /// All who have ever asked and have written nothing that is here. It takes a look at the signature of each.
  func asked() throws -> [Candidate] { try store.control.requests().compactMap { try? candidate(request: $0) } }

  /// What those call themselves who have asked.
  func names(_ asked: [Candidate]) -> [UUID: String] {
    var names: [UUID: String] = [:]
    for one in asked { names[one.instance] = one.name }
    if let recovery = folder.proof?.recoveryInstance { names[recovery] = "recovery" }
    return names
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

  // MARK: - Requests

  private static let mostRequests = 1000

  /// Those who have asked to be let in and were not yet, as containers have told.
  package func requests() throws -> [Candidate] { try requests(asked()) }

  func requests(_ asked: [Candidate]) throws -> [Candidate] {
    if asked.isEmpty { return [] }
    let known = try insiders()
    return asked.filter { !known.contains($0.instance) }
  }

  /// Those who need not ask any more.
  private func insiders() throws -> Set<UUID> {
    try Set(store.blocks.chains().map(\.instance) + members.readers().map(\.instance))
  }

  /// Remembers who asks, so that they can be listed where the container is away. A request is kept until its author has a
  /// chain, which says how it is called: others may have let it in long before.
  func takeRequests(from container: Container) throws {
    guard try folder.hasMembers || folder.isSealed() else { return }
    let names = try container.names(in: .requests).prefix(Access.mostRequests)
    var found: [(UUID, [UInt8])] = []
    for name in names {
      guard let instance = UUID(name), instance != folder.instance,
        let bytes = try container.bounded(name, in: .requests),
        (try? JoinRequest(bytes, of: instance, in: folder.databaseID)) != nil
      else { continue }
      found.append((instance, bytes))
    }
    let old = try store.control.requests()
    guard !found.isEmpty || !old.isEmpty else { return }
    let known = Set(try store.blocks.chains().map(\.instance))
    let answered = old.compactMap { try? candidate(request: $0).instance }.filter { known.contains($0) }
    let new = found.filter { !known.contains($0.0) && !old.contains($0.1) }
      .prefix(max(0, Access.mostRequests - old.count + answered.count))
    guard !new.isEmpty || !answered.isEmpty else { return }
    try store.write {
      for instance in answered { try store.control.removeRequest(of: instance) }
      for (instance, bytes) in new { try store.control.keepRequest(bytes, of: instance) }
    }
  }
}
