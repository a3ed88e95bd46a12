import { declareProblems } from '../../core/problem.ts'

/** The errors of operations on products. */
export const productProblems = declareProblems('product', {
  not_found: {
    code: 'PRD-1001',
    status: 404,
    description: 'No product of this tenant has this id. An id of another tenant answers the same.',
    message: {
      'en-US': 'The product {id} does not exist.',
      'fr-FR': 'Le produit {id} n’existe pas.',
      'de-DE': 'Das Produkt {id} existiert nicht.',
      'es-ES': 'El producto {id} no existe.',
    },
  },
  handle_taken: {
    code: 'PRD-1002',
    status: 409,
    description:
      'Another product has this handle. Send another one, or none to have a free one derived from the title.',
    message: {
      'en-US': 'Another product already uses the handle “{handle}”.',
      'fr-FR': 'Un autre produit utilise déjà l’identifiant « {handle} ».',
      'de-DE': 'Ein anderes Produkt verwendet bereits die Kennung „{handle}“.',
      'es-ES': 'Otro producto ya utiliza el identificador «{handle}».',
    },
  },
  archived: {
    code: 'PRD-1003',
    status: 409,
    description:
      'The product is archived, so nothing on it or below it can be written. Restore it first with a PATCH of its status.',
    message: {
      'en-US': 'This product is archived. Please restore it before making changes.',
      'fr-FR': 'Ce produit est archivé. Veuillez le restaurer avant de le modifier.',
      'de-DE':
        'Dieses Produkt ist archiviert. Bitte stellen Sie es wieder her, bevor Sie Änderungen vornehmen.',
      'es-ES': 'Este producto está archivado. Restáurelo antes de modificarlo.',
    },
  },
  external_id_taken: {
    code: 'PRD-1004',
    status: 409,
    description:
      'Another product that is not archived has this externalId. Send another one, or write to that product.',
    message: {
      'en-US': 'Another product already has the external ID “{externalId}”.',
      'fr-FR': 'Un autre produit possède déjà l’identifiant externe « {externalId} ».',
      'de-DE': 'Ein anderes Produkt hat bereits die externe ID „{externalId}“.',
      'es-ES': 'Otro producto ya tiene el identificador externo «{externalId}».',
    },
  },
  options_required: {
    code: 'PRD-1005',
    status: 422,
    description:
      'A product without options takes a single variant, and another was sent. Create options first, then variants with one value for each.',
    message: {
      'en-US': 'A product without options can have only one variant. Please add an option first.',
      'fr-FR':
        'Un produit sans option ne peut avoir qu’une seule variante. Veuillez d’abord ajouter une option.',
      'de-DE':
        'Ein Produkt ohne Optionen kann nur eine Variante haben. Bitte legen Sie zuerst eine Option an.',
      'es-ES': 'Un producto sin opciones solo puede tener una variante. Añada primero una opción.',
    },
  },
})
