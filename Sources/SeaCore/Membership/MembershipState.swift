struct MembershipState {
  var role: Role?
  var cut = Membership.BlockSelection.nothing
  var authority = Membership.BlockSelection.nothing
  var authorized: Int?
  var revoked: Int?

  mutating func inherit(_ act: Membership.Entry.Act, at position: Int) {
    guard case .revoke = act else { return apply(act, at: position) }
    guard role != nil else { return }
    (role, cut, authority, revoked) = (nil, .nothing, .nothing, position)
  }

  static let none = MembershipState()
  static let founder = MembershipState(role: .admin, cut: .everything, authority: .everything)

  mutating func apply(_ act: Membership.Entry.Act, at position: Int) {
    switch act {
    case .authorize(let authorization):
      role = authorization.role
      authorized = position
      revoked = nil
      switch authorization.role {
      case .admin:
        cut = .everything
        authority = .everything
      case .write:
        cut = .everything
        if authority == .everything { authority = .nothing }
      case .read:
        if cut == .everything { cut = .nothing }
        if authority == .everything { authority = .nothing }
      }
    case .revoke(_, let last, _):
      let given = last.map { Membership.BlockSelection.last($0) } ?? .nothing
      if role == .admin { authority = given }
      if given == .nothing || (role != .read && cut != .nothing) { cut = given }
      role = nil
      revoked = position
    }
  }
}
