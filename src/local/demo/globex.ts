import type { DemoCatalogue } from './model.ts'

/**
 * Globex, a cycling and outdoor shop whose first language is French. Channels: `web`, `marketplace` (a reseller's
 * site, which takes a commission) and `clubs` (members' prices).
 */
export const globex: DemoCatalogue = {
  categories: [
    {
      handle: 'cycling',
      title: { en: 'Cycling', fr: 'Vélo', de: 'Radfahren', es: 'Ciclismo' },
      children: [
        {
          handle: 'bikes',
          title: { en: 'Bikes', fr: 'Vélos', de: 'Fahrräder', es: 'Bicicletas' },
          children: [
            {
              handle: 'city-bikes',
              title: { en: 'City bikes', fr: 'Vélos de ville', de: 'Stadträder', es: 'Bicicletas urbanas' },
            },
            {
              handle: 'gravel-bikes',
              title: {
                en: 'Gravel bikes',
                fr: 'Vélos gravel',
                de: 'Gravelbikes',
                es: 'Bicicletas de gravel',
              },
            },
          ],
        },
        {
          handle: 'bike-parts',
          title: {
            en: 'Parts and accessories',
            fr: 'Pièces et accessoires',
            de: 'Teile und Zubehör',
            es: 'Piezas y accesorios',
          },
          children: [
            {
              handle: 'bike-lights',
              title: { en: 'Lights', fr: 'Éclairage', de: 'Beleuchtung', es: 'Luces' },
            },
            { handle: 'tyres', title: { en: 'Tyres', fr: 'Pneus', de: 'Reifen', es: 'Neumáticos' } },
            { handle: 'helmets', title: { en: 'Helmets', fr: 'Casques', de: 'Helme', es: 'Cascos' } },
          ],
        },
      ],
    },
    {
      handle: 'camping',
      title: { en: 'Camping', fr: 'Camping', de: 'Camping', es: 'Acampada' },
      children: [
        {
          handle: 'shelter',
          title: {
            en: 'Tents and sleeping',
            fr: 'Tentes et couchage',
            de: 'Zelte und Schlafen',
            es: 'Tiendas y descanso',
          },
          children: [
            { handle: 'tents', title: { en: 'Tents', fr: 'Tentes', de: 'Zelte', es: 'Tiendas de campaña' } },
            {
              handle: 'sleeping-bags',
              title: {
                en: 'Sleeping bags',
                fr: 'Sacs de couchage',
                de: 'Schlafsäcke',
                es: 'Sacos de dormir',
              },
            },
          ],
        },
        {
          handle: 'outdoor-kitchen',
          title: {
            en: 'Outdoor kitchen',
            fr: 'Cuisine de plein air',
            de: 'Outdoorküche',
            es: 'Cocina de exterior',
          },
        },
      ],
    },
    {
      handle: 'rainwear',
      title: { en: 'Rainwear', fr: 'Vêtements de pluie', de: 'Regenbekleidung', es: 'Ropa de lluvia' },
      description: {
        en: 'For the other half of the year.',
        fr: 'Pour l’autre moitié de l’année.',
        de: 'Für die andere Hälfte des Jahres.',
        es: 'Para la otra mitad del año.',
      },
    },
  ],
  products: [
    {
      handle: 'city-bike-7',
      title: { en: 'City bike 7', fr: 'Vélo de ville 7', de: 'Stadtrad 7', es: 'Bicicleta urbana 7' },
      description: {
        en: 'Seven gears in the hub, a basket and lights that are always on.',
        fr: 'Sept vitesses dans le moyeu, un panier et un éclairage permanent.',
        de: 'Sieben Gänge in der Nabe, ein Korb und Licht, das immer brennt.',
        es: 'Siete velocidades en el buje, una cesta y luces siempre encendidas.',
      },
      seo: {
        title: {
          en: 'City bike with 7 gears | Globex',
          fr: 'Vélo de ville 7 vitesses | Globex',
          de: 'Stadtrad mit 7 Gängen | Globex',
          es: 'Bicicleta urbana de 7 velocidades | Globex',
        },
        description: {
          en: 'Delivered ready to ride.',
          fr: 'Livré prêt à rouler.',
          de: 'Fahrbereit geliefert.',
          es: 'Se entrega lista para rodar.',
        },
      },
      vendor: 'Globex Cycles',
      productType: 'Bike',
      tags: ['city', 'hub-gears'],
      channels: ['web', 'clubs'],
      categories: ['city-bikes'],
      images: [
        { file: 'city-bike-7-step-through.jpg', alt: 'Step-through frame' },
        { file: 'city-bike-7-diamond.jpg', alt: 'Diamond frame' },
      ],
      sku: 'CITY7',
      weight: { value: 16.5, unit: 'kg' },
      options: [
        {
          title: { en: 'Frame', fr: 'Cadre', de: 'Rahmen', es: 'Cuadro' },
          values: [
            { en: 'Step-through', fr: 'Ouvert', de: 'Tiefeinstieg', es: 'Abierto' },
            { en: 'Diamond', fr: 'Fermé', de: 'Diamant', es: 'Diamante' },
          ],
        },
        { title: { en: 'Size', fr: 'Taille', de: 'Größe', es: 'Talla' }, values: ['S', 'M', 'L'] },
      ],
      except: [{ Frame: 'Diamond', Size: 'S' }],
      offers: [
        { name: 'eur', currency: 'EUR', amount: '749.00' },
        { name: 'switzerland', currency: 'CHF', amount: '790.00', countries: ['CH'] },
        { name: 'clubs', currency: 'EUR', amount: '689.00', compareAt: '749.00', channel: 'clubs' },
        { name: 'clubs-fleet-5', currency: 'EUR', amount: '639.00', channel: 'clubs', minQuantity: 5 },
      ],
    },
    {
      handle: 'gravel-explorer',
      title: {
        en: 'Gravel Explorer',
        fr: 'Gravel Explorateur',
        de: 'Gravel Explorer',
        es: 'Gravel Explorador',
      },
      description: {
        en: 'Steel frame, carbon fork, 45 mm tyres.',
        fr: 'Cadre acier, fourche carbone, pneus de 45 mm.',
        de: 'Stahlrahmen, Carbongabel, 45-mm-Reifen.',
        es: 'Cuadro de acero, horquilla de carbono y neumáticos de 45 mm.',
      },
      vendor: 'Globex Cycles',
      productType: 'Bike',
      tags: ['gravel', 'steel'],
      channels: ['web'],
      categories: ['gravel-bikes'],
      images: [{ file: 'gravel-explorer.jpg', alt: 'Gravel bike in the woods' }],
      sku: 'GRAVEL',
      weight: { value: 10.8, unit: 'kg' },
      options: [
        {
          title: { en: 'Size', fr: 'Taille', de: 'Größe', es: 'Talla' },
          values: ['52 cm', '54 cm', '56 cm', '58 cm'],
        },
      ],
      offers: [
        { name: 'eur', currency: 'EUR', amount: '1890.00' },
        // The next model year: scheduled, and taking over from the price above by its window.
        { name: 'next-season', currency: 'EUR', amount: '1990.00', window: { from: 45 } },
        {
          name: 'end-of-season-58',
          currency: 'EUR',
          amount: '1590.00',
          compareAt: '1890.00',
          window: { from: -5, until: 25 },
          only: { Size: '58 cm' },
        },
      ],
    },
    {
      handle: 'commuter-helmet',
      title: { en: 'Commuter helmet', fr: 'Casque urbain', de: 'Cityhelm', es: 'Casco urbano' },
      description: {
        en: 'With a light at the back.',
        fr: 'Avec un feu arrière intégré.',
        de: 'Mit Rücklicht.',
        es: 'Con luz trasera.',
      },
      vendor: 'Tête Haute',
      productType: 'Helmet',
      tags: ['safety'],
      channels: ['web', 'marketplace', 'clubs'],
      categories: ['helmets'],
      images: [{ file: 'commuter-helmet.jpg', alt: 'White helmet' }],
      sku: 'HELMET',
      weight: { value: 340, unit: 'g' },
      options: [
        {
          title: { en: 'Color', fr: 'Couleur', de: 'Farbe', es: 'Color' },
          values: [
            { en: 'White', fr: 'Blanc', de: 'Weiß', es: 'Blanco' },
            { en: 'Black', fr: 'Noir', de: 'Schwarz', es: 'Negro' },
          ],
        },
        { title: { en: 'Size', fr: 'Taille', de: 'Größe', es: 'Talla' }, values: ['52–56 cm', '57–61 cm'] },
      ],
      offers: [
        { name: 'eur', currency: 'EUR', amount: '59.90' },
        { name: 'marketplace', currency: 'EUR', amount: '64.90', channel: 'marketplace' },
        { name: 'clubs-10', currency: 'EUR', amount: '47.00', channel: 'clubs', minQuantity: 10 },
      ],
    },
    {
      handle: 'dynamo-headlight',
      title: {
        en: 'Dynamo headlight',
        fr: 'Phare pour dynamo',
        de: 'Dynamo-Scheinwerfer',
        es: 'Faro para dinamo',
      },
      description: {
        en: '80 lux, with a standlight.',
        fr: '80 lux, avec feu de position à l’arrêt.',
        de: '80 Lux, mit Standlicht.',
        es: '80 lux, con luz de posición al detenerse.',
      },
      vendor: 'Lumière & Roue',
      productType: 'Light',
      tags: ['dynamo', 'safety'],
      channels: ['web', 'marketplace'],
      categories: ['bike-lights'],
      images: [{ file: 'dynamo-headlight.jpg', alt: 'Headlight on a fork' }],
      sku: 'LIGHT80',
      barcode: '4006381333931',
      weight: { value: 130, unit: 'g' },
      offers: [
        { name: 'eur', currency: 'EUR', amount: '79.00' },
        {
          name: 'dark-weeks',
          currency: 'EUR',
          amount: '65.00',
          compareAt: '79.00',
          channel: 'web',
          window: { from: -10, until: 20 },
        },
        {
          name: 'dark-weeks-belgium',
          currency: 'EUR',
          amount: '62.00',
          compareAt: '79.00',
          channel: 'web',
          countries: ['BE', 'LU'],
          window: { from: -10, until: 20 },
        },
      ],
    },
    {
      handle: 'all-weather-tyre',
      title: {
        en: 'All-weather tyre',
        fr: 'Pneu quatre saisons',
        de: 'Ganzjahresreifen',
        es: 'Neumático para todo el año',
      },
      description: {
        en: 'Puncture-proof belt, reflecting sidewalls.',
        fr: 'Bande anticrevaison, flancs réfléchissants.',
        de: 'Pannenschutzeinlage, reflektierende Flanken.',
        es: 'Banda antipinchazos y flancos reflectantes.',
      },
      vendor: 'Gomme',
      productType: 'Tyre',
      tags: ['puncture-proof'],
      channels: ['web', 'marketplace', 'clubs'],
      categories: ['tyres'],
      images: [{ file: 'all-weather-tyre.jpg', alt: 'Tyre' }],
      sku: 'TYRE',
      weight: { value: 720, unit: 'g' },
      options: [
        {
          title: { en: 'Width', fr: 'Section', de: 'Breite', es: 'Ancho' },
          values: ['28 mm', '35 mm', '42 mm'],
        },
      ],
      offers: [
        { name: 'eur', currency: 'EUR', amount: '32.00' },
        { name: 'pair', currency: 'EUR', amount: '29.00', minQuantity: 2 },
        { name: 'workshop', currency: 'EUR', amount: '23.00', channel: 'clubs', minQuantity: 20 },
      ],
    },
    {
      handle: 'two-person-tent',
      title: {
        en: 'Two-person tent',
        fr: 'Tente deux places',
        de: 'Zweipersonenzelt',
        es: 'Tienda para dos personas',
      },
      description: {
        en: 'Stands by itself, 1.9 kg with its pegs.',
        fr: 'Autoportante, 1,9 kg avec ses sardines.',
        de: 'Freistehend, 1,9 kg mit Heringen.',
        es: 'Autoportante; 1,9 kg con las piquetas.',
      },
      vendor: 'Bivouac',
      productType: 'Tent',
      tags: ['trekking', 'ultralight'],
      channels: ['web', 'marketplace'],
      categories: ['tents'],
      images: [{ file: 'two-person-tent.jpg', alt: 'Green tent by a lake' }],
      sku: 'TENT2',
      weight: { value: 1.9, unit: 'kg' },
      options: [
        {
          title: { en: 'Color', fr: 'Couleur', de: 'Farbe', es: 'Color' },
          values: [
            { en: 'Green', fr: 'Vert', de: 'Grün', es: 'Verde' },
            { en: 'Orange', fr: 'Orange', de: 'Orange', es: 'Naranja' },
          ],
        },
      ],
      offers: [
        { name: 'eur', currency: 'EUR', amount: '289.00' },
        // A promotion that is over.
        {
          name: 'summer',
          currency: 'EUR',
          amount: '229.00',
          compareAt: '289.00',
          window: { from: -120, until: -80 },
        },
        { name: 'united-states', currency: 'USD', amount: '329.00', countries: ['US'], taxIncluded: false },
      ],
    },
    {
      handle: 'down-sleeping-bag',
      title: {
        en: 'Down sleeping bag',
        fr: 'Sac de couchage en duvet',
        de: 'Daunenschlafsack',
        es: 'Saco de dormir de plumón',
      },
      description: {
        en: 'Comfortable down to −5 °C.',
        fr: 'Confortable jusqu’à −5 °C.',
        de: 'Behaglich bis −5 °C.',
        es: 'Cómodo hasta −5 °C.',
      },
      vendor: 'Bivouac',
      productType: 'Sleeping bag',
      tags: ['down', 'trekking'],
      channels: ['web'],
      categories: ['sleeping-bags'],
      images: [{ file: 'down-sleeping-bag.jpg', alt: 'Blue sleeping bag' }],
      sku: 'DOWN',
      weight: { value: 980, unit: 'g' },
      options: [
        {
          title: { en: 'Length', fr: 'Longueur', de: 'Länge', es: 'Longitud' },
          values: ['185 cm', '200 cm'],
        },
        {
          title: { en: 'Zip', fr: 'Fermeture', de: 'Reißverschluss', es: 'Cremallera' },
          values: [
            { en: 'Left', fr: 'Gauche', de: 'Links', es: 'Izquierda' },
            { en: 'Right', fr: 'Droite', de: 'Rechts', es: 'Derecha' },
          ],
        },
      ],
      offers: [
        { name: 'regular', currency: 'EUR', amount: '219.00', only: { Length: '185 cm' } },
        { name: 'long', currency: 'EUR', amount: '239.00', only: { Length: '200 cm' } },
      ],
    },
    {
      handle: 'camping-stove',
      title: {
        en: 'Camping stove',
        fr: 'Réchaud de camping',
        de: 'Campingkocher',
        es: 'Hornillo de acampada',
      },
      description: {
        en: 'Boils a litre in three minutes.',
        fr: 'Un litre bout en trois minutes.',
        de: 'Bringt einen Liter in drei Minuten zum Kochen.',
        es: 'Hierve un litro en tres minutos.',
      },
      vendor: 'Bivouac',
      productType: 'Stove',
      tags: ['gas'],
      channels: ['web', 'marketplace'],
      categories: ['outdoor-kitchen'],
      images: [{ file: 'camping-stove.jpg', alt: 'Stove with a pot' }],
      sku: 'STOVE',
      barcode: '5901234123457',
      weight: { value: 95, unit: 'g' },
      offers: [
        { name: 'eur', currency: 'EUR', amount: '44.90' },
        { name: 'marketplace', currency: 'EUR', amount: '49.90', channel: 'marketplace' },
      ],
    },
    {
      handle: 'enamel-cup',
      title: { en: 'Enamel cup', fr: 'Tasse émaillée', de: 'Emaillebecher', es: 'Taza esmaltada' },
      description: {
        en: 'Survives falls and fires.',
        fr: 'Survit aux chutes et aux feux de camp.',
        de: 'Übersteht Stürze und Lagerfeuer.',
        es: 'Sobrevive a las caídas y a las hogueras.',
      },
      vendor: 'Bivouac',
      productType: 'Cup',
      tags: ['gift'],
      channels: ['web', 'clubs'],
      categories: ['outdoor-kitchen'],
      images: [{ file: 'enamel-cup.jpg', alt: 'White cup with a blue rim' }],
      sku: 'CUP',
      weight: { value: 120, unit: 'g' },
      options: [
        {
          title: { en: 'Rim', fr: 'Liseré', de: 'Rand', es: 'Borde' },
          values: [
            { en: 'Blue', fr: 'Bleu', de: 'Blau', es: 'Azul' },
            { en: 'Red', fr: 'Rouge', de: 'Rot', es: 'Rojo' },
          ],
        },
      ],
      offers: [
        { name: 'eur', currency: 'EUR', amount: '11.00' },
        { name: 'eur-6', currency: 'EUR', amount: '9.50', minQuantity: 6 },
        {
          name: 'clubs-printed-100',
          currency: 'EUR',
          amount: '6.20',
          channel: 'clubs',
          minQuantity: 100,
          taxIncluded: false,
        },
      ],
    },
    {
      handle: 'rain-jacket',
      title: { en: 'Rain jacket', fr: 'Veste de pluie', de: 'Regenjacke', es: 'Chaqueta impermeable' },
      description: {
        en: 'Three layers, taped seams, a hood that fits over a helmet.',
        fr: 'Trois couches, coutures étanches, capuche compatible avec un casque.',
        de: 'Dreilagig, verschweißte Nähte, die Kapuze passt über einen Helm.',
        es: 'Tres capas, costuras selladas y una capucha que cabe sobre el casco.',
      },
      vendor: 'Averse',
      productType: 'Jacket',
      tags: ['recycled', 'waterproof'],
      channels: ['web', 'marketplace', 'clubs'],
      categories: ['rainwear', 'cycling'],
      images: [{ file: 'rain-jacket-yellow.jpg', alt: 'Yellow rain jacket' }],
      sku: 'RAIN',
      weight: { value: 390, unit: 'g' },
      options: [
        {
          title: { en: 'Color', fr: 'Couleur', de: 'Farbe', es: 'Color' },
          values: [
            { en: 'Yellow', fr: 'Jaune', de: 'Gelb', es: 'Amarillo' },
            { en: 'Petrol', fr: 'Pétrole', de: 'Petrol', es: 'Petróleo' },
          ],
        },
        {
          title: { en: 'Size', fr: 'Taille', de: 'Größe', es: 'Talla' },
          values: ['XS', 'S', 'M', 'L', 'XL'],
        },
      ],
      offers: [
        { name: 'eur', currency: 'EUR', amount: '159.00' },
        { name: 'sweden', currency: 'SEK', amount: '1799.00', countries: ['SE'] },
        // A currency without decimals.
        { name: 'japan', currency: 'JPY', amount: '24800', countries: ['JP'] },
        {
          name: 'rainy-week',
          currency: 'EUR',
          amount: '129.00',
          compareAt: '159.00',
          channel: 'web',
          window: { from: 7, until: 14 },
        },
      ],
    },
    {
      handle: 'rain-trousers',
      title: { en: 'Rain trousers', fr: 'Pantalon de pluie', de: 'Regenhose', es: 'Pantalón impermeable' },
      description: {
        en: 'Zips to the knee, on and off over shoes.',
        fr: 'Zips jusqu’au genou, s’enfile sur les chaussures.',
        de: 'Reißverschlüsse bis zum Knie, lässt sich über Schuhe an- und ausziehen.',
        es: 'Cremalleras hasta la rodilla; se pone y se quita sin descalzarse.',
      },
      vendor: 'Averse',
      productType: 'Trousers',
      tags: ['recycled', 'waterproof'],
      channels: ['web'],
      categories: ['rainwear'],
      images: [{ file: 'rain-trousers.jpg', alt: 'Black rain trousers' }],
      sku: 'RAINTR',
      weight: { value: 280, unit: 'g' },
      options: [
        { title: { en: 'Size', fr: 'Taille', de: 'Größe', es: 'Talla' }, values: ['S', 'M', 'L', 'XL'] },
      ],
      offers: [{ name: 'eur', currency: 'EUR', amount: '89.00' }],
    },
    {
      handle: 'cargo-trailer',
      title: { en: 'Cargo trailer', fr: 'Remorque', de: 'Lastenanhänger', es: 'Remolque de carga' },
      description: {
        en: 'Waiting for its safety certificate.',
        fr: 'En attente de son certificat de sécurité.',
        de: 'Wartet auf das Sicherheitszertifikat.',
        es: 'A la espera de su certificado de seguridad.',
      },
      vendor: 'Globex Cycles',
      productType: 'Trailer',
      tags: ['cargo'],
      status: 'DRAFT',
      channels: [],
      categories: ['bike-parts'],
      images: [],
      sku: 'TRAILER',
      weight: { value: 8.2, unit: 'kg' },
      offers: [],
    },
  ],
}
