import SeaContainer
import SeaSystem

/// The implementation of the program `sea-remote-sea+https LOCATION`.
package enum TunnelProgram {
  private static let largestFile = 1 << 20

  package static let names = TunnelLocation.schemes.map { "sea-remote-\($0)" }

  package static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count == 2, let location = arguments.last, !location.hasPrefix("-") else {
      try? File.standardError().write("usage: sea-remote-sea+https sea+https://HOST[:PORT]/NAME\n")
      return 2
    }
    let session = TunnelSession(reading: File.standardInput(), writing: File.standardOutput())
    do throws(SystemError) {
      try session.run(location) { () throws(TunnelFault) in try TunnelSettings(surroundings, location) }
      return 0
    } catch {
      try? File.standardError().write("sea-remote-sea+https: \(error.reason)\n")
      return 1
    }
  }

  private static var surroundings: TunnelSettings.Surroundings {
    TunnelSettings.Surroundings(
      variable: ThisProcess.environment,
      file: { path in
        guard let file = try? File(path), let status = try? file.status(),
          let bytes = try? file.readAll(limit: largestFile)
        else { return nil }
        // Other users cannot read a pipe, so only regular files are checked.
        let isOpen = status.kind == .file && status.mode & 0o077 != 0
        return (String(decoding: bytes, as: UTF8.self), isOpen)
      },
      ask: { command, location in
        var launch = Launch("/bin/sh", ["sh", "-c", command])
        launch.variables = [("SEA_LOCATION", location)]
        guard let answer = try? launch.answer(limit: 4096), answer.status == 0, let line = answer.line else {
          return nil
        }
        return String(decoding: line, as: UTF8.self)
      })
  }
}
