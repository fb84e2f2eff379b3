import enum SeaContainer.ContainerError
import SeaCore
import SeaEngine
import SeaSystem

struct CloneOperand {
  let source: CloneSource
  let usualFolder: String?
  private var received: File?

  var isBundle: Bool { if case .bundles = source { true } else { false } }

  private let text: String

  init(_ operand: String, _ session: Session, restores: Bool) throws {
    text = operand
    func bundles(_ list: [(path: String, name: String)], _ folder: BundleDirectory?, _ place: String) -> CloneSource {
      var bundles = CloneBundles(bundles: list, folder: folder, place: place)
      bundles.temporary = session.temporaryFolder
      bundles.restores = restores
      return .bundles(bundles)
    }
    if operand == "-" {
      let file = try session.spooledInput()
      received = file
      source = bundles([("/proc/self/fd/\(file.descriptor)", "standard input")], nil, "standard input")
      usualFolder = nil
      return
    }
    let path = operand.hasPrefix("file://") ? String(operand.dropFirst(7)) : session.path(operand)
    switch try BundleOperand.of(path) {
    case .file(let path): source = bundles([(path, Path.name(path))], nil, operand)
    case .folder(let folder, let found): source = bundles(found.map { ($0.path, $0.name) }, folder, operand)
    case nil:
      if restores {
        guard try Containers.isRemoteLocation(operand) || Path.exists(path) else {
          throw CommandError.noBackupAt(operand)
        }
        throw CommandError.noBackup(operand)
      }
      let location = try session.location(operand)
      source = .container(location)
      usualFolder = Location.folder(forCloneOf: location)
      return
    }
    let name = Path.name(operand)
    usualFolder =
      name.firstPlace(of: ".sea").map { String(name[..<$0.lowerBound]) } ?? Location.folder(forCloneOf: name)
  }

  /// - Parameter isReadOnly: whether nothing is ever written to the source.
  func clone(
    to folder: String, name: String, assets: AssetFilter?, isReadOnly: Bool = false, _ settings: Database.Settings
  ) throws -> Cloned {
    try explaining(settings.helpers) {
      try Database.clone(source, to: folder, name: name, assets: assets, isReadOnly: isReadOnly, settings)
    }
  }

  func survey(_ helpers: Helpers) throws -> ContainerSurvey {
    try explaining(helpers) { try Database.survey(source, helpers) }
  }

  /// Runs `work` and makes its errors clearer, for example if a file of records is used as a bundle.
  private func explaining<Result>(_ helpers: Helpers, _ work: () throws -> Result) throws -> Result {
    do { return try work() } catch TransferError.bundle(let name, .notABundle) where LoadInput.form(of: text) != nil {
      throw CommandError.noBundle(TransferError.bundle(name: name, .notABundle), file: text)
    } catch let error as KitError {
      switch error {
      case .badPassword, .noKey: throw CommandError.unopened(error, source: text)
      default: throw error
      }
    } catch ContainerError.notAContainer(let path) {
      guard case .container(let location) = source, try BundleDirectory.exists(at: location, helpers) else {
        throw ContainerError.notAContainer(path: path)
      }
      throw CommandError.bundlesElsewhere(location)
    }
  }
}
