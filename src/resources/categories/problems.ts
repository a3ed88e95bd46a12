import { declareProblems } from '../../core/problem.ts'

export const categoryProblems = declareProblems('category', {
  not_found: {
    code: 'CAT-1001',
    status: 404,
    description: 'No category of this tenant has this id. An id of another tenant answers the same.',
    message: {
      'en-US': 'The category {id} does not exist.',
      'fr-FR': 'La catégorie {id} n’existe pas.',
      'de-DE': 'Die Kategorie {id} existiert nicht.',
      'es-ES': 'La categoría {id} no existe.',
    },
  },
  handle_taken: {
    code: 'CAT-1002',
    status: 409,
    description:
      'Another category has this handle. Send another one, or none to have a free one derived from the title.',
    message: {
      'en-US': 'Another category already uses the handle “{handle}”.',
      'fr-FR': 'Une autre catégorie utilise déjà l’identifiant « {handle} ».',
      'de-DE': 'Eine andere Kategorie verwendet bereits die Kennung „{handle}“.',
      'es-ES': 'Otra categoría ya utiliza el identificador «{handle}».',
    },
  },
  cycle: {
    code: 'CAT-1003',
    status: 422,
    description:
      'The category would become its own ancestor through parent or children. Choose a parent outside of its own subtree.',
    message: {
      'en-US': 'A category cannot be placed below itself.',
      'fr-FR': 'Une catégorie ne peut pas être placée sous elle-même.',
      'de-DE': 'Eine Kategorie kann nicht unter sich selbst eingeordnet werden.',
      'es-ES': 'Una categoría no puede colocarse dentro de sí misma.',
    },
  },
  too_deep: {
    code: 'CAT-1004',
    status: 422,
    description:
      'The category, or one below it, would stand deeper in the tree than is allowed. Choose a parent nearer to the root.',
    message: {
      'en-US': 'The category tree would become too deep. Maximum number of levels: {maximum}.',
      'fr-FR':
        'L’arborescence des catégories deviendrait trop profonde. Nombre maximal de niveaux : {maximum}.',
      'de-DE': 'Der Kategoriebaum würde zu tief. Höchstanzahl der Ebenen: {maximum}.',
      'es-ES': 'El árbol de categorías sería demasiado profundo. Número máximo de niveles: {maximum}.',
    },
  },
  has_children: {
    code: 'CAT-1005',
    status: 409,
    description: 'The category has child categories, so it cannot be deleted. Move or delete those first.',
    message: {
      'en-US': 'This category contains other categories and cannot be deleted.',
      'fr-FR': 'Cette catégorie contient d’autres catégories et ne peut pas être supprimée.',
      'de-DE': 'Diese Kategorie enthält weitere Kategorien und kann nicht gelöscht werden.',
      'es-ES': 'Esta categoría contiene otras categorías y no se puede eliminar.',
    },
  },
  in_use: {
    code: 'CAT-1006',
    status: 409,
    description:
      'Products that are not archived are still in the category, so it cannot be deleted. Take them out of it first.',
    message: {
      'en-US': 'This category is still in use and cannot be deleted.',
      'fr-FR': 'Cette catégorie est encore utilisée et ne peut pas être supprimée.',
      'de-DE': 'Diese Kategorie wird noch verwendet und kann nicht gelöscht werden.',
      'es-ES': 'Esta categoría todavía está en uso y no se puede eliminar.',
    },
  },
  external_id_taken: {
    code: 'CAT-1007',
    status: 409,
    description:
      'Another category that is not archived has this externalId. Send another one, or write to that category.',
    message: {
      'en-US': 'Another category already has the external ID “{externalId}”.',
      'fr-FR': 'Une autre catégorie possède déjà l’identifiant externe « {externalId} ».',
      'de-DE': 'Eine andere Kategorie hat bereits die externe ID „{externalId}“.',
      'es-ES': 'Otra categoría ya tiene el identificador externo «{externalId}».',
    },
  },
})
