import AppStore

/// What an operator can do about a reply that did not take an answer: one sentence for each error of Send Consumption
/// Information. Decided by the status, as the numbers of some errors are not public; a number only makes it more precise.
/// Source: App Store Server API, «Send Consumption Information» and «Error codes».
enum ReplyAdvice {
  static func sentence(status: Int, errorCode: Int64?) -> String {
    switch (status, errorCode) {
    case (400, 4_000_006):
      "Apple does not take the form of the transaction id, though it came from Apple: report it with the case's page"
    case (400, 4_000_035):
      "every answer says that the customer consented, so something on the way changed the body: look at proxies"
    case (400, 4_000_036):
      "Apple does not know the deliveryStatus: state another one with PUT /v1/evidence, or update this program"
    case (400, 4_000_041):
      "Apple does not take sampleContentProvided: look at proxies that change bodies, or update this program"
    case (400, 4_000_044):
      "Apple does not take the refundPreference: refundlog answer --again with another --prefer, or none"
    case (400, 4_000_047):
      "Apple takes no answer for this type of product at this version of the call; nothing is to be done"
    case (400, 4_000_048): "the id is of an app transaction, for which Apple takes no answer; nothing is to be done"
    case (400, 4_000_185): "the purchase is shared in a family, for which Apple takes no answer; nothing is to be done"
    case (400, 4_000_209):
      "Apple wants no consumptionPercentage for a subscription: state the evidence without it, and it is answered anew"
    case (400, 4_000_227): "the purchase is an assigned one, for which Apple takes no answer; nothing is to be done"
    case (400, nil):
      "Apple cannot read the body: look at proxies that change bodies, or update this program"
    case (400, _):
      "Apple refuses this body: compare it with the message; other evidence, and refundlog answer --again, bring another one"
    case (404, _):
      "Apple does not know the transaction in this environment: look whether the app's bundle id and environments are those of the purchase, and appStore addresses those of Apple"
    case (401, _): "Apple does not take the app's token"
    case (429, _): "Apple limits the app's calls: it is sent again by itself; look who else calls for the app"
    case (408, _), (425, _), (500..., _):
      "Apple is out of order: it is sent again by itself; nothing is to be done unless it lasts for hours"
    case (..<400, _):
      "this is no answer of Apple's API: look whether appStore addresses are right and a proxy stands between"
    default: "Apple refuses it for good: look at the message, and update this program"
    }
  }
}
