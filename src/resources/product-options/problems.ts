import { declareProblems } from '../../core/problem.ts'

/** The problems of operations on product options. */
export const productOptionProblems = declareProblems('product_option', {
  not_found: {
    code: 'OPT-1001',
    status: 404,
    description: 'No product option of this tenant has this id. An id of another tenant answers the same.',
    message: {
      'en-US': 'The option {id} does not exist.',
      'fr-FR': 'L’option {id} n’existe pas.',
      'de-DE': 'Die Option {id} existiert nicht.',
      'es-ES': 'La opción {id} no existe.',
    },
  },
  title_taken: {
    code: 'OPT-1002',
    status: 409,
    description:
      'Another option of the same product has this title in this locale. Send another title, or write to that option.',
    message: {
      'en-US': 'This product already has an option called “{title}”.',
      'fr-FR': 'Ce produit possède déjà une option nommée « {title} ».',
      'de-DE': 'Dieses Produkt hat bereits eine Option namens „{title}“.',
      'es-ES': 'Este producto ya tiene una opción llamada «{title}».',
    },
  },
  in_use: {
    code: 'OPT-1003',
    status: 409,
    description:
      'An active variant has a value of this option, so it cannot be deleted. Archive those variants first.',
    message: {
      'en-US': 'This option is used by variants of the product and cannot be deleted.',
      'fr-FR': 'Cette option est utilisée par des variantes du produit et ne peut pas être supprimée.',
      'de-DE': 'Diese Option wird von Varianten des Produkts verwendet und kann nicht gelöscht werden.',
      'es-ES': 'Esta opción la utilizan variantes del producto y no se puede eliminar.',
    },
  },
  limit: {
    code: 'OPT-1004',
    status: 422,
    description:
      'The product already has as many options as a product can have. Delete one that is not in use before adding another.',
    message: {
      'en-US': 'A product cannot have any more options. Maximum: {maximum}.',
      'fr-FR': 'Le nombre maximal d’options par produit est atteint : {maximum}.',
      'de-DE': 'Die Höchstanzahl der Optionen eines Produkts ist erreicht: {maximum}.',
      'es-ES': 'Se ha alcanzado el número máximo de opciones por producto: {maximum}.',
    },
  },
  external_id_taken: {
    code: 'OPT-1005',
    status: 409,
    description:
      'Another product option has this externalId. Send another one, or write to that product option.',
    message: {
      'en-US': 'Another option already has the external ID “{externalId}”.',
      'fr-FR': 'Une autre option possède déjà l’identifiant externe « {externalId} ».',
      'de-DE': 'Eine andere Option hat bereits die externe ID „{externalId}“.',
      'es-ES': 'Otra opción ya tiene el identificador externo «{externalId}».',
    },
  },
})

/** The problems of operations on option values. */
export const optionValueProblems = declareProblems('option_value', {
  not_found: {
    code: 'OVL-1001',
    status: 404,
    description: 'No option value of this tenant has this id. An id of another tenant answers the same.',
    message: {
      'en-US': 'The option value {id} does not exist.',
      'fr-FR': 'La valeur d’option {id} n’existe pas.',
      'de-DE': 'Der Optionswert {id} existiert nicht.',
      'es-ES': 'El valor de opción {id} no existe.',
    },
  },
  title_taken: {
    code: 'OVL-1002',
    status: 409,
    description:
      'Another value of the same option has this title in this locale. Send another title, or write to that value.',
    message: {
      'en-US': 'This option already has a value called “{title}”.',
      'fr-FR': 'Cette option possède déjà une valeur nommée « {title} ».',
      'de-DE': 'Diese Option hat bereits einen Wert namens „{title}“.',
      'es-ES': 'Esta opción ya tiene un valor llamado «{title}».',
    },
  },
  in_use: {
    code: 'OVL-1003',
    status: 409,
    description:
      'An active variant has this option value, so it cannot be deleted. Archive those variants first.',
    message: {
      'en-US': 'This value is used by variants of the product and cannot be deleted.',
      'fr-FR': 'Cette valeur est utilisée par des variantes du produit et ne peut pas être supprimée.',
      'de-DE': 'Dieser Wert wird von Varianten des Produkts verwendet und kann nicht gelöscht werden.',
      'es-ES': 'Este valor lo utilizan variantes del producto y no se puede eliminar.',
    },
  },
  limit: {
    code: 'OVL-1004',
    status: 422,
    description:
      'The option already has as many values as an option can have. Delete one that is not in use before adding another.',
    message: {
      'en-US': 'An option cannot have any more values. Maximum: {maximum}.',
      'fr-FR': 'Le nombre maximal de valeurs par option est atteint : {maximum}.',
      'de-DE': 'Die Höchstanzahl der Werte einer Option ist erreicht: {maximum}.',
      'es-ES': 'Se ha alcanzado el número máximo de valores por opción: {maximum}.',
    },
  },
  external_id_taken: {
    code: 'OVL-1005',
    status: 409,
    description: 'Another option value has this externalId. Send another one, or write to that option value.',
    message: {
      'en-US': 'Another option value already has the external ID “{externalId}”.',
      'fr-FR': 'Une autre valeur d’option possède déjà l’identifiant externe « {externalId} ».',
      'de-DE': 'Ein anderer Optionswert hat bereits die externe ID „{externalId}“.',
      'es-ES': 'Otro valor de opción ya tiene el identificador externo «{externalId}».',
    },
  },
})
