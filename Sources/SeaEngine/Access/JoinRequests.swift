import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

package struct JoinRequests {
  let access: Access
  private var folder: SeaFolder { access.folder }
  private var store: Store { access.store }
  private static let most = 1000

  /// Returns the authors of requests that do not have a chain in this store yet. The signature of each request is
  /// verified.
  func all() throws -> [Candidate] { try store.control.requests().compactMap { try? access.candidate(request: $0) } }

  func names(_ asked: [Candidate]) throws -> [UUID: String] {
    var names: [UUID: String] = [:]
    for one in asked { names[one.instance] = one.name }
    if let recovery = folder.proof?.recoveryInstance { names[recovery] = "recovery" }
    return try names.merging(access.members.names()) { $1 }
  }

  package func open() throws -> [Candidate] { try open(among: all()) }

  func open(among asked: [Candidate]) throws -> [Candidate] {
    if asked.isEmpty { return [] }
    let known = try instancesWithAccess()
    return asked.filter { !known.contains($0.instance) }
  }

  private func instancesWithAccess() throws -> Set<UUID> {
    try Set(store.branches.chains().map(\.instance) + access.members.readers().map(\.instance))
  }

  /// Stores requests, so that they can be listed even when the container is unavailable. A request is kept until its
  /// author's chain arrives, which may be long after the authorization.
  func receive(from container: Container) throws {
    guard try folder.hasMembers || folder.isSealed() else { return }
    let names = try container.names(in: .requests).prefix(JoinRequests.most)
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
    let known = Set(try store.branches.chains().map(\.instance))
    let answered = old.compactMap { try? access.candidate(request: $0).instance }.filter { known.contains($0) }
    let new = found.filter { !known.contains($0.0) && !old.contains($0.1) }
      .prefix(max(0, JoinRequests.most - old.count + answered.count))
    guard !new.isEmpty || !answered.isEmpty else { return }
    try store.write {
      for instance in answered { try store.control.removeRequest(of: instance) }
      for (instance, bytes) in new { try store.control.keepRequest(bytes, of: instance) }
    }
  }
}

extension Access {
  package var requests: JoinRequests { JoinRequests(access: self) }
}

package struct AccessRequests: Sendable {
  package var all: [Candidate] = []
  /// Whether this instance may authorize the waiting instances. If not, an admin must do so.
  package var mayAuthorize = false
}

extension JoinRequests {
  /// Returns the instances that request access: authors of requests in containers and bundles, and nonmembers that have
  /// a chain. The list is empty while this instance itself is waiting for access.
  package func asking() throws -> AccessRequests {
    guard try access.folder.hasMembers || access.folder.isSealed(), try !isWaiting() else { return AccessRequests() }
    let membership = try access.members.membership()
    var found = try open()
    if let membership {
      for chain in try access.store.branches.chains() where membership[chain.instance] == nil {
        let exchange = try access.store.branches.exchangeKey(of: chain.instance) ?? []
        found.append(
          Candidate(instance: chain.instance, name: chain.name, key: chain.publicKey, exchange: exchange))
      }
      found.removeAll { membership[$0.instance] != nil }
    }
    found.sort { ($0.name, $0.instance) < ($1.name, $1.instance) }
    return AccessRequests(
      all: found, mayAuthorize: membership.map { $0.role(of: access.folder.instance) == .admin } ?? true)
  }

  /// Whether this instance is still waiting for access: it has no keys, or its changes are not valid yet.
  package func isWaiting() throws -> Bool {
    if try access.folder.isPending() { return true }
    return try access.members.membership().map { $0[access.folder.instance] == nil } ?? false
  }
}
