import { createApp as createService } from '../../src/app.ts'
import { libraryOf } from '../../src/docs/generate.ts'
import { resources as allResources } from '../../src/resources/index.ts'

type Parts = NonNullable<Parameters<typeof createService>[0]>

/** The service in this process: published documents are generated on request; a Worker has files. */
export function createApp(parts: Parts = {}): ReturnType<typeof createService> {
  const library = libraryOf(parts.resources ?? allResources)
  return createService({ libraries: () => library, ...parts })
}
