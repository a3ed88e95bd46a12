import { createApp } from './app.ts'
import type { Bindings } from './env.ts'

const app = createApp()

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  /** Nothing is sent to a queue yet; what arrives all the same stays there for the code that knows it. */
  async queue(batch) {
    for (const message of batch.messages) message.retry()
  },
  /** Nothing recurs yet. */
  async scheduled() {},
} satisfies ExportedHandler<Bindings>
