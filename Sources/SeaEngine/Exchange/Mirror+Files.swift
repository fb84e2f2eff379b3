import SeaContainer
import SeaCore

extension Mirror {
  /// Copies the small files of a folder that the target lacks. A slot whose bytes do not give its name is not copied, and is written
  /// again in the target.
  ///
  /// - Parameter target: nil for one that does not exist yet, of which all is counted.
  static func copyFiles(
    of folder: SmallFolder, from source: Container, to target: Container?, dryRun: Bool, _ result: inout Result
  ) throws {
    let there = Set(try target?.names(in: folder) ?? [])
    for name in try source.names(in: folder) {
      guard let bytes = try content(name, folder, of: source, &result) else { continue }
      if there.contains(name), folder == .keys, let target {
        if try target.bounded(name, in: folder) == bytes { continue }
        // What is not what its name says is nothing that somebody could miss.
        if !dryRun { try target.put(name, bytes, in: folder) }
        result.files += 1
        result.noteMended(folder.path(of: name), in: target)
        continue
      }
      if there.contains(name), let target {
        if let old = try content(name, folder, of: target, &result), old != bytes {
          result.problems.append(problem(name, folder, in: target))
        }
        continue
      }
      if let target, !dryRun, try !write(name, bytes, folder, to: target) {
        result.problems.append(problem(name, folder, in: target))
      } else {
        result.files += 1
      }
    }
  }

  /// False if something else is there.
  private static func write(
    _ name: String, _ bytes: [UInt8], _ folder: SmallFolder, to target: Container
  ) throws(ContainerError) -> Bool {
    do throws(ContainerError) {
      try target.write(name, bytes, in: folder)
      return true
    } catch {
      switch error {
      case .badFile, .inTheWay: return false
      default: throw error
      }
    }
  }

  /// The bytes of a small file that may be what its name says; nil if it is gone, and if it is reported.
  private static func content(
    _ name: String, _ folder: SmallFolder, of container: Container, _ result: inout Result
  ) throws(ContainerError) -> [UInt8]? {
    do throws(ContainerError) {
      guard let bytes = try container.read(name, in: folder) else { return nil }
      if folder != .keys || Digest(hex: name) == SHA256.hash(bytes) { return bytes }
    } catch {
      guard case .badFile = error else { throw error }
    }
    result.problems.append(problem(name, folder, in: container))
    return nil
  }

  private static func problem(_ name: String, _ folder: SmallFolder, in container: Container) -> Problem {
    Problem(.foreignFile, place: container.location, detail: folder.path(of: name))
  }
}
