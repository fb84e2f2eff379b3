import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Looks around a database for what may become a trouble: here, in its containers, and between the two.
///
/// Nothing is changed but by `mend`, and that changes only what follows from the chains or was left by programs that
/// died. A check that could not look says so.
package final class Doctor {
  let database: Database
  var folder: SeaFolder { database.folder }
  var store: Store { database.store }
  /// So many files of a kind are told one by one.
  static let mostTold = 20

  /// The containers, each opened once, and why one could not be.
  private(set) lazy var places: [(setting: ContainerSetting, container: Result<any Container, any Error>)] =
    settings.map { setting in (setting, Result { try database.containers.open(setting) }) }
  private lazy var settings = (try? database.containers.settings()) ?? []
  /// The names that the layout of a container does not know: looking for them is dear.
  private var strangers: [String: SeaContainer.ForeignFiles] = [:]

  package init(_ database: Database) { self.database = database }

  /// What one check comes to. What goes wrong in it is no error.
  package func look(_ check: Check) -> Examined {
    var examined = Examined()
    do {
      switch check {
      case .copied: try lookForCopy(&examined)
      case .permissions: try lookAtPermissions(&examined)
      case .diskSpace: lookAtSpace(&examined)
      case .fileSystem: try lookAtFileSystem(&examined)
      case .temporaries: try lookForTemporaries(&examined)
      case .projection: try lookAtProjection(&examined)
      case .storedKeys: try lookAtKeys(&examined)
      case .keyDerivation: try lookAtSlots(&examined)
      case .clock: try lookAtClocks(&examined)
      case .containers: try lookAtContainers(&examined)
      case .cloudDebris: try lookForDebris(&examined)
      case .missing: try lookForMissing(&examined)
      case .unverified: try lookForUnverified(&examined)
      case .hooks: break
      }
    } catch { examined.blind.append(("", error)) }
    return examined
  }

  /// Whether a check finds what can be put right here without losing anything.
  package static func canMend(_ check: Check) -> Bool { check == .temporaries || check == .projection }

  /// The same, and puts right what follows from the chains, or is of no use to anybody. What is gone then is told as mended.
  package func mend(_ check: Check) -> Examined {
    var before = look(check)
    guard Doctor.canMend(check), !before.findings.isEmpty else { return before }
    do {
      if check == .projection {
        _ = try database.rebuildProjection(dryRun: false)
      } else {
        try removeTemporaries()
      }
    } catch {
      before.blind.append(("", error))
      return before
    }
    strangers = [:]
    let after = look(check)
    let left = Set(after.findings.map(\.subject))
    before.findings = before.findings.compactMap { finding in
      var finding = finding
      finding.isMended = !left.contains(finding.subject)
      return finding.isMended ? finding : after.findings.first { $0.subject == finding.subject }
    }
    let known = Set(before.findings.map(\.subject))
    before.findings += after.findings.filter { !known.contains($0.subject) }
    before.blind = after.blind
    return before
  }

  // MARK: - Containers

  /// Looks at every container that opens; the others could not be looked at.
  func eachContainer(
    _ examined: inout Examined, _ body: (ContainerSetting, any Container, inout Examined) throws -> Void
  ) throws {
    // What they are could not be read: that is to be told.
    _ = try database.containers.settings()
    for (setting, container) in places {
      do {
        try body(setting, container.get(), &examined)
        examined.look(at: .container)
      } catch {
        // That it is away is for one check to tell.
        if !isAway(container) { examined.blind.append((setting.name, error)) }
      }
    }
    if places.isEmpty { examined.look(at: .container, 0) }
  }

  /// Whether a container is not at hand.
  func isAway(_ container: Result<any Container, any Error>) -> Bool {
    if case .failure(let error) = container { Containers.state(for: error) == .away } else { false }
  }

  func strangers(in container: any Container, _ name: String) throws -> SeaContainer.ForeignFiles {
    if let known = strangers[name] { return known }
    let found = try container.foreignFiles()
    strangers[name] = found
    return found
  }
}

extension Database {
  package var doctor: Doctor { Doctor(self) }
}
