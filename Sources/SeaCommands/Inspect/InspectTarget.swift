import SeaCore
import SeaEngine
import SeaSystem
import SeaWords

import enum SeaContainer.BundleError
import enum SeaContainer.BundleSource
import enum SeaContainer.ContainerError

/// What an operand of `sea inspect` names.
enum InspectTarget {
  case place(any InspectedPlace, name: String, Database?)
  case chain(any InspectedPlace, name: String, BranchID)
  /// In the database, or in a file.
  case blocks(BlockSource, name: String)
  case record(RecordRow, Database)

  /// The database itself without an operand; else an attached container, a bundle, a file of blocks, a container at a
  /// place, and then what `sea show` takes: a record, a block, an instance.
  static func of(_ text: String?, _ session: Session) throws -> InspectTarget {
    guard let text else {
      let database = try session.reading()
      return .place(try InspectedStore(database), name: database.path, database)
    }
    let database = try Result { try session.reading() }.ifThere()
    if let database, let setting = try? database.containers.setting(text) {
      let container = try database.containers.open(setting)
      return .place(try InspectedContainer(container, named: text, database), name: text, database)
    }
    let path = session.path(text)
    if let there = try Path.statusFollowing(path), there.kind == .file {
      if try isBlock(path) { return .blocks(BlockSource(session), name: Path.join(".", text)) }
      // What is empty is no more a bundle than it is a block.
      if there.size == 0 { throw TransferError.bundle(name: text, .notABundle) }
    }
    if !Containers.isElsewhere(text), case .file(let path)? = try BundleOperand.of(path) {
      do {
        let bundle = try InspectedBundle(
          .file(path: path), named: text, temporary: session.temporaryFolder, database)
        return .place(bundle, name: text, database)
      } catch TransferError.bundle(_, .notABundle) where database != nil {
        // Any file may have the name of a record.
      }
    }
    let container = try Containers.at(session.location(text), session.helpers)
    do {
      return .place(try InspectedContainer(container, named: text, database), name: text, database)
    } catch let error as ContainerError {
      guard !Containers.isElsewhere(text), let database else { throw error }
      return try inside(text, database, session, orElse: error)
    }
  }

  /// - Parameter error: what is wrong with it as a container; told of what is there, and has no other meaning.
  private static func inside(
    _ text: String, _ database: Database, _ session: Session, orElse error: ContainerError
  ) throws -> InspectTarget {
    do {
      switch try session.named(text, in: database) {
      case .record(let row): return .record(row, database)
      case .revision(let found): return .record(found.row, database)
      case .block: return .blocks(BlockSource(session), name: text)
      case .instance(let instance):
        return .chain(try InspectedStore(database), name: database.path, BranchID(instance))
      }
    } catch KitError.nothingNamed(let name) {
      if try Path.exists(session.path(text)) { throw error }
      throw KitError.nothingNamed(name)
    }
  }

  private static func isBlock(_ path: String) throws -> Bool {
    let file = try File.atHand(path)
    var start = [UInt8](repeating: 0, count: 3)
    let count = try start.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return count == 3 && start == Array("SEA".utf8)
  }
}

extension Result where Success == Database, Failure == any Error {
  /// Nil where there is none, or none that may be used: what is asked for may need none.
  fileprivate func ifThere() throws -> Database? {
    do { return try get() } catch KitError.noDatabase { return nil } catch let error as KitError {
      guard error.isUnsafePlace else { throw error }
      return nil
    }
  }
}
