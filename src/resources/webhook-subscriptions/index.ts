/** What others need of webhook subscriptions: where their payloads may be sent, and what signs them. */
export { callbackFault, ResolverUnavailable } from './resolve.ts'
export { encryptSecret, mintSecret, signingSecrets } from './secret.ts'
