public import HTTPTypes

/// Sends requests one after the other, and waits for each reply: `HTTPClient` over the network, or a stand-in.
public protocol HTTPSending {
  /// Every status is a reply.
  /// - Parameter mayWrite: asked once more when nothing but the write follows; no gives `notSent` in the phase `request`.
  func send(_ request: HTTPClientRequest, mayWrite: () -> Bool) throws(HTTPClientError) -> HTTPResponse
}

extension HTTPClient: HTTPSending {}
