/**
 * A stub of the SDK's schema validator, which `wrangler.toml` aliases to this file. The SDK needs it only to
 * validate input requested from users.
 */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('No tool requests input from users.')
  }
}
