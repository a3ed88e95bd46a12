/** What others need of webhook subscriptions: whom to call, whether they may be called, and with which secrets to sign. */
export { forgetLocaleOfSubscription } from './forget-locale.ts'
export { type Aimed, demandAimed } from './grants.ts'
export { pathsToVersion, shapePathsToVersion } from './include-fields.ts'
export { callbackFault, hostWithoutAddress, ResolverUnavailable } from './resolve.ts'
export { topicText } from './schema.ts'
export { signingSecrets } from './secret.ts'
export { type Sender, senderStatement, subscriptionStatement } from './store.ts'
