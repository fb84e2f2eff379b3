import SeaContainer
import SeaHTTP

/// What follows from an answer. Pure.
package enum S3Verdict: Equatable {
  case good
  /// It says that an object is not there (404), that a condition does not hold (412), or a range is outside (416).
  case telling
  case refused(S3Fault)
  /// It may be otherwise the next time.
  case passing(S3Fault)
  case expired(S3Fault)
  /// The bucket is in another region; nil where that is not said.
  case elsewhere(String?, S3Fault)

  /// - Parameter isOfObject: whether the request was about an object, not about a bucket.
  package init(_ answer: Transport.Answer, _ error: S3Error?, isOfObject: Bool) {
    let code = error?.code ?? ""
    let said = code.isEmpty ? "HTTP \(answer.status)" : "\(code) (HTTP \(answer.status))"
    switch (answer.status, code) {
    case (200..<300, ""): self = .good
    // Some requests are answered with success before they have failed.
    case (200..<300, "InternalError"), (200..<300, "SlowDown"), (200..<300, "ServiceUnavailable"):
      self = .passing(S3Fault(.busy, said))
    case (200..<300, _): self = .refused(S3Fault(.failed, said))
    case (_, "ExpiredToken"), (_, "TokenRefreshRequired"):
      self = .expired(S3Fault(.denied, "the credentials have expired"))
    case (404, "NoSuchKey") where isOfObject, (404, "NoSuchUpload") where isOfObject, (412, _), (416, _):
      self = .telling
    case (404, "NoSuchBucket"): self = .refused(S3Fault(.gone, "there is no such bucket"))
    // What the store does not explain comes from somebody in between.
    case (404, ""): self = .passing(S3Fault(.gone, said))
    case (401, ""), (403, ""): self = .passing(S3Fault(.denied, said))
    case (_, "AuthorizationHeaderMalformed") where error?.region != nil:
      self = .elsewhere(error?.region, S3Fault(.denied, said))
    case (300..<400, _):
      self = .elsewhere(
        answer.headers["x-amz-bucket-region"],
        S3Fault(.failed, "the server sends elsewhere, where nobody follows: \(said)"))
    case (_, "RequestTimeTooSkewed"):
      self = .refused(S3Fault(.denied, "the clock here and that of the server differ: \(said)"))
    case (401, _), (403, _): self = .refused(S3Fault(.denied, said))
    case (413, _), (_, "EntityTooLarge"): self = .refused(S3Fault(.tooLarge, said))
    case (507, _), (_, "QuotaExceeded"): self = .refused(S3Fault(.full, said))
    case (501, _): self = .refused(S3Fault(.unsupported, said))
    case (429, _), (503, _), (_, "SlowDown"): self = .passing(S3Fault(.busy, said))
    case (500..<600, _), (408, _), (_, "RequestTimeout"): self = .passing(S3Fault(.gone, said))
    case (409, "OperationAborted"), (409, "ConditionalRequestConflict"): self = .passing(S3Fault(.busy, said))
    default: self = .refused(S3Fault(.failed, said))
    }
  }

  /// How long a server wants to be left alone: nanoseconds.
  static func wanted(_ answer: Transport.Answer) -> Int64 {
    guard let seconds = answer.headers["retry-after"].flatMap({ Wire.number($0) }) else { return 0 }
    return min(seconds, 20) * 1_000_000_000
  }
}
