/** What the SDK's Server wants of its surroundings; `wrangler.toml` puts it in the place of the SDK's own. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('nothing is asked of users')
  }
}
