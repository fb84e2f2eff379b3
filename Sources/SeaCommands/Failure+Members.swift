import SeaKit

extension Failure {
  static func unauthorised(_ refusal: Refusal) -> Failure {
    let (text, hint): (String, String) =
      switch refusal {
      case .readOnly: ("this instance may read and not write", "an admin changes that with: sea authorize")
      case .revoked:
        ("this instance was revoked: what it writes counts nowhere", "an admin lets it in again with: sea authorize")
      case .notAdmin: ("only an admin can do this", "see who is one: sea instances")
      }
    return Failure("unauthorised", .denied, text, hint: hint)
  }
}
