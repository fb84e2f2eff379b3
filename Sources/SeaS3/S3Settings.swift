import SeaContainer

/// The access settings of an object store, taken from the sources that other S3 programs also use: the environment and
/// profiles.
package struct S3Settings: Equatable, Sendable {
  package var endpoint: Endpoint
  package var region: String
  package var source: CredentialSource
  /// The path of a file with certificates to trust instead of the system's certificates.
  package var authorities: String?
  static let authoritiesName = "AWS_CA_BUNDLE"

  package struct Surroundings {
    package var variable: (String) -> String?
    /// Returns the content of a file; nil if the file is missing or unreadable.
    package var file: (String) -> String?

    package init(variable: @escaping (String) -> String?, file: @escaping (String) -> String?) {
      (self.variable, self.file) = (variable, file)
    }

    func word(_ names: String...) -> String? { names.lazy.compactMap(variable).first { !$0.isEmpty } }
  }

  package init(_ around: Surroundings) throws(WireRefusal) {
    let profile = Profile(around)
    region = around.word("AWS_REGION", "AWS_DEFAULT_REGION") ?? profile["region"] ?? "us-east-1"
    guard Endpoint.isRegion(region) else { throw WireRefusal(.denied, "invalid region '\(region.prefix(80))'") }
    authorities = around.word(S3Settings.authoritiesName) ?? profile["ca_bundle"]
    endpoint = try S3Settings.endpoint(around, profile)
    source = try S3Settings.source(around, profile)
  }

  init(endpoint: Endpoint, credentials: Credentials) {
    (self.endpoint, region, source, authorities) = (endpoint, "us-east-1", .fixed(credentials), nil)
  }

  private static func endpoint(_ around: Surroundings, _ profile: Profile) throws(WireRefusal) -> Endpoint {
    var address = around.word("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
    if around.word("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")?.lowercased() == "true" {
      address = nil
    } else if address == nil, profile["ignore_configured_endpoint_urls"]?.lowercased() != "true" {
      address = profile.service("s3.endpoint_url") ?? profile["endpoint_url"]
    }
    guard var endpoint = address.map({ Endpoint($0) }) ?? .aws else {
      throw WireRefusal(.failed, "invalid endpoint: expected http:// or https:// and a host, without a password")
    }
    switch profile["s3.addressing_style"] {
    case "path": endpoint.style = .path
    case "virtual": endpoint.style = .host
    default: break
    }
    return endpoint
  }

  private static func source(_ around: Surroundings, _ profile: Profile) throws(WireRefusal) -> CredentialSource {
    if let id = around.word("AWS_ACCESS_KEY_ID"), let secret = around.word("AWS_SECRET_ACCESS_KEY") {
      return .fixed(Credentials(id: id, secret: secret, token: around.word("AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN")))
    }
    for section in [profile.shared, profile.config] {
      guard let id = section["aws_access_key_id"], let secret = section["aws_secret_access_key"] else { continue }
      return .fixed(Credentials(id: id, secret: secret, token: section["aws_session_token"]))
    }
    if let line = profile["credential_process"] {
      guard let words = CredentialSource.words(line), !words.isEmpty else {
        throw WireRefusal(.denied, "cannot read the output of credential_process of profile '\(profile.name)'")
      }
      return .program(words)
    }
    if profile["role_arn"] ?? profile["sso_session"] ?? profile["sso_start_url"] != nil {
      throw WireRefusal(
        .denied,
        "profile '\(profile.name)' uses a role or single sign-on, which is not supported; use credential_process")
    }
    guard profile.isThere || !profile.isNamed else {
      throw WireRefusal(.denied, "profile '\(profile.name)' does not exist")
    }
    throw WireRefusal(
      .denied, "no credentials found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE")
  }
}

/// The sections of a profile in the two files used by the AWS tools, and the `services` section that they refer to.
private struct Profile {
  let name: String
  let isNamed: Bool
  let isThere: Bool
  let shared: [String: String]
  let config: [String: String]
  private let services: [String: String]

  init(_ around: S3Settings.Surroundings) {
    let named = around.word("AWS_PROFILE", "AWS_DEFAULT_PROFILE")
    (name, isNamed) = (named ?? "default", named != nil)
    let home = around.word("HOME") ?? ""
    func sections(_ variable: String, _ file: String) -> [String: [String: String]] {
      var path = around.word(variable) ?? "\(home)/.aws/\(file)"
      if path.hasPrefix("~/") { path = home + path.dropFirst() }
      return around.file(path).map { ProfileFile($0).sections } ?? [:]
    }
    let keys = sections("AWS_SHARED_CREDENTIALS_FILE", "credentials")
    let settings = sections("AWS_CONFIG_FILE", "config")
    let section = settings["profile \(name)"] ?? (name == "default" ? settings["default"] : nil)
    isThere = keys[name] != nil || section != nil
    shared = keys[name] ?? [:]
    config = section ?? [:]
    services = config["services"].flatMap { settings["services \($0)"] } ?? [:]
  }

  subscript(name: String) -> String? { (shared[name] ?? config[name]).flatMap { $0.isEmpty ? nil : $0 } }

  func service(_ name: String) -> String? { services[name].flatMap { $0.isEmpty ? nil : $0 } }
}

/// A profile file in the format used by the AWS tools, with sections, lines of the form `name = value`, and indented
/// nested lines.
package struct ProfileFile {
  /// The values, keyed by section and name. A nested name is preceded by its parent's name and a dot.
  package private(set) var sections: [String: [String: String]] = [:]

  package init(_ text: String) {
    var section: String?
    var above: String?
    for line in text.split(whereSeparator: \.isNewline) {
      let isBelow = line.first == " " || line.first == "\t"
      let line = ProfileFile.trimmed(line)
      if line.isEmpty || line.first == "#" || line.first == ";" { continue }
      if line.first == "[" {
        guard let end = line.firstIndex(of: "]") else { continue }
        section = line[line.index(after: line.startIndex)..<end].split { $0 == " " || $0 == "\t" }
          .joined(separator: " ")
        above = nil
        continue
      }
      guard let section, let equals = line.firstIndex(of: "=") else { continue }
      let name = ProfileFile.trimmed(line[..<equals]).lowercased()
      let value = String(ProfileFile.trimmed(ProfileFile.withoutRemark(line[line.index(after: equals)...])))
      if isBelow, let above {
        sections[section, default: [:]]["\(above).\(name)"] = value
      } else {
        sections[section, default: [:]][name] = value
        above = value.isEmpty ? name : nil
      }
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }

  /// Removes the comment after a value. A comment begins with a space followed by `#` or `;`.
  private static func withoutRemark(_ value: Substring) -> Substring {
    var before: Character = "x"
    for at in value.indices {
      if value[at] == "#" || value[at] == ";", before == " " || before == "\t" { return value[..<at] }
      before = value[at]
    }
    return value
  }
}
