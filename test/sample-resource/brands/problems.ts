import { declareProblems } from '../../core/problem.ts'

/** What can be wrong with an operation on a brand. */
export const brandProblems = declareProblems('brand', {
  not_found: {
    code: 'BRD-1001',
    status: 404,
    description: 'No brand of this tenant has this id. An id of another tenant answers the same.',
    message: {
      'en-US': 'The brand {id} does not exist.',
      'fr-FR': 'La marque {id} n’existe pas.',
      'de-DE': 'Die Marke {id} existiert nicht.',
      'es-ES': 'La marca {id} no existe.',
    },
  },
  handle_taken: {
    code: 'BRD-1002',
    status: 409,
    description:
      'Another brand has this handle. Send another one, or none to have a free one derived from the title.',
    message: {
      'en-US': 'Another brand already uses the handle “{handle}”.',
      'fr-FR': 'Une autre marque utilise déjà l’identifiant « {handle} ».',
      'de-DE': 'Eine andere Marke verwendet bereits die Kennung „{handle}“.',
      'es-ES': 'Otra marca ya utiliza el identificador «{handle}».',
    },
  },
  external_id_taken: {
    code: 'BRD-1003',
    status: 409,
    description: 'Another brand has this externalId. Send another one, or write to that brand.',
    message: {
      'en-US': 'Another brand already has the external ID “{externalId}”.',
      'fr-FR': 'Une autre marque possède déjà l’identifiant externe « {externalId} ».',
      'de-DE': 'Eine andere Marke hat bereits die externe ID „{externalId}“.',
      'es-ES': 'Otra marca ya tiene el identificador externo «{externalId}».',
    },
  },
})
