package import class SeaContainer.Helpers

extension Helpers {
  /// Has threads of this process answer for places of these schemes.
  package func reach(_ containers: [String: @Sendable (_ location: String) async throws -> any Container]) {
    answers = { place in
      containers[place.scheme].map { make in ContainerServer.answering { try await make(place.location) } }
    }
  }
}
