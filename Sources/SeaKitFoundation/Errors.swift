public import Foundation
public import SeaKit

extension SeaError: LocalizedError {
  /// The message as a sentence, in English.
  public var errorDescription: String? {
    // Do not change a name at the beginning.
    let isName = details.values.contains { !$0.isEmpty && message.hasPrefix($0) }
    return (isName ? message : message.prefix(1).uppercased() + message.dropFirst()) + "."
  }

  /// A suggestion for people, in English; nil if it depends on the program.
  public var recoverySuggestion: String? {
    switch code {
    case .assetMissing: "Connect a location that has the content, then try again."
    case .badPassword: "Enter the password again."
    case .baseMissing: "Import the earlier bundles first."
    case .conflict: "Resolve the conflicts, then try again."
    case .denied: "Check the permissions of the file or folder."
    case .fileChanged: "Close the program that changes the file, then try again."
    case .locked: "Wait until the other program has finished, then try again."
    case .noKey: "Enter a password that opens the database, or sync to receive the key."
    case .noSpace: "Free some space, then try again."
    case .stale: "Read the record again, then repeat the change."
    case .unauthorized: "Ask an administrator of the database for access."
    case .unreachable: "Check the connection to the location, then try again."
    default: nil
    }
  }
}
