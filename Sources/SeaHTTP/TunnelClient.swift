import SeaContainer
import SeaSystem

/// A connection to a server, and what follows from what it answers.
final class TunnelClient {
  enum Outcome {
    case done
    case refused(TunnelFault)
    /// It may be otherwise the next time, after so many nanoseconds at least. What was asked may have been done.
    case passing(TunnelFault, wanted: Int64, isDoubtful: Bool)
  }

  private static let mostError = 1024
  private static let mark = "sea-server"

  private let location: TunnelLocation
  private let settings: TunnelSettings
  private let transport: Transport
  /// Until then nobody goes on trying what was tried in vain: monotonic nanoseconds.
  private var isGoneUntil: Int64 = 0

  init(_ location: TunnelLocation, _ settings: TunnelSettings) throws(TunnelFault) {
    guard let transport = Transport(authorities: settings.authorities, setting: TunnelSettings.authoritiesName) else {
      throw TunnelFault(.failed, "libcurl cannot be started")
    }
    (self.location, self.settings, self.transport) = (location, settings, transport)
  }

  private var authorization: (name: String, value: String) { ("authorization", "Bearer \(settings.token)") }

  /// Sends bytes, and hands over what is answered.
  func post(
    _ size: Int64, _ fill: @escaping (UnsafeMutableRawBufferPointer) -> Int,
    _ take: @escaping (UnsafeRawBufferPointer) -> Bool, tick: @escaping () -> Bool, isDone: () -> Bool
  ) -> Outcome {
    let type = "application/vnd.sea.lines"
    var call = Transport.Call(
      method: "POST", url: location.url, headers: [authorization, ("content-type", type)])
    call.source = (size, fill)
    call.tick = tick
    // The other side may have much to write to its disk.
    call.silence = 120
    return perform(call, type, take, isDone)
  }

  /// Waits for events until there is an end of it.
  /// - Parameters:
  ///   - ends: monotonic nanoseconds.
  ///   - descriptor: where something comes that ends it.
  func listen(
    until ends: Int64, or descriptor: Int32, _ take: @escaping (UnsafeRawBufferPointer) -> Bool,
    tick: @escaping () -> Bool
  ) -> Outcome {
    let type = "text/event-stream"
    var call = Transport.Call(
      method: "GET", url: location.newsURL, headers: [authorization, ("accept", type)])
    call.tick = tick
    call.patience = (ends, descriptor)
    call.silence = 130
    return perform(call, type, take, { true })
  }

  private func perform(
    _ call: Transport.Call, _ type: String, _ take: @escaping (UnsafeRawBufferPointer) -> Bool, _ isDone: () -> Bool
  ) -> Outcome {
    var call = call
    var isOther = false
    call.most = TunnelClient.mostError
    call.sink = { answer, bytes in
      let isOurs = answer.headers[TunnelClient.mark] != nil && answer.headers["content-type"] == type
      isOther = !isOurs
      return isOurs && take(bytes)
    }
    do throws(Transport.Broken) {
      let answer = try transport.perform(call)
      guard answer.isSuccess else { return verdict(answer) }
      isGoneUntil = 0
      if isDone() { return .done }
      return .passing(TunnelFault(.gone, "the answer broke off"), wanted: 0, isDoubtful: true)
    } catch {
      if isOther || error.isPassing {
        let text = isOther ? "something that is no sea-server answers there" : error.reason
        return .passing(TunnelFault(.gone, text), wanted: 0, isDoubtful: true)
      }
      return .refused(TunnelFault(.gone, error.reason))
    }
  }

  private func verdict(_ answer: Transport.Answer) -> Outcome {
    let text = String(decoding: answer.body.prefix { $0 != 0x0A }.prefix(200), as: UTF8.self)
    let isOurs = answer.headers[TunnelClient.mark] != nil
    let said = isOurs ? "\(text) (HTTP \(answer.status))" : "HTTP \(answer.status)"
    let seconds = answer.headers["retry-after"].flatMap { Wire.number($0) } ?? 0
    let wanted = min(seconds, 30) * 1_000_000_000
    switch answer.status {
    case 413: return .refused(TunnelFault(.tooLarge, said))
    case 429, 503: return .passing(TunnelFault(.busy, said), wanted: wanted, isDoubtful: !isOurs)
    // What the server does not say itself comes from somebody in between.
    case _ where !isOurs: return .passing(TunnelFault(.gone, said), wanted: wanted, isDoubtful: true)
    case 401, 403: return .refused(TunnelFault(.denied, said))
    case 404: return .refused(TunnelFault(.gone, said))
    case 500...: return .passing(TunnelFault(.gone, said), wanted: wanted, isDoubtful: true)
    default: return .refused(TunnelFault(.failed, said))
    }
  }

  // MARK: Again

  /// Does something until it is done or there is no more use in it: then why.
  /// - Parameters:
  ///   - pause: waits for so many nanoseconds; false if that is of no use.
  ///   - doubt: told that what was asked may have been done.
  func persist(
    pause: (Int64) -> Bool, doubt: () -> Void = {}, _ body: () -> Outcome
  ) -> TunnelFault? {
    var retries = Retries()
    while true {
      switch body() {
      case .done: return nil
      case .refused(let fault): return fault
      case .passing(let fault, let wanted, let isDoubtful):
        if isDoubtful { doubt() }
        let isBusy = fault.code == .busy
        guard isGoneUntil <= Clock.monotonic(), let time = retries.next(isBusy: isBusy, wanted: wanted), pause(time)
        else {
          if isDoubtful || isBusy { isGoneUntil = Clock.monotonic() + Retries.gone }
          // Not busy: whoever asked would begin to wait anew.
          return TunnelFault(.gone, fault.text)
        }
      }
    }
  }
}
