import CatalogModel

/// Names and codes of countries, by any of which a show is found: archives write `US`, `U.S.A.` and `United States`.
enum CountryNames {
  /// Other ways to write a country: its names, and its codes of two and of three letters.
  ///
  /// A code of two letters that is a state's is not among them, `CA` for example, and neither is `US`: both are words of much
  /// else (`ShowQuery` knows the latter).
  static func others(of country: String) -> [String] {
    let key = StateNames.key(country)
    guard let place = places[key] else { return [] }
    let names = countries[place].filter { name in
      name != "US" && !(name.utf8.count == 2 && StateNames.isOfUSA(name))
    }
    // Archives write England or UK for the same places; the other parts are not England.
    let isKingdom = countries[place].contains("UK") && !otherParts.contains(key)
    return isKingdom ? names + ["England"] : names
  }

  /// The parts of the United Kingdom but for England.
  private static let otherParts: Set = ["scotland", "wales", "northernireland"]

  /// The codes and names of each country.
  private static let countries: [[String]] = list.split(separator: "\n").map { line in
    let parts = line.split(separator: " ", maxSplits: 2)
    return parts.prefix(2).map(String.init) + parts[2].split(separator: "; ").map(String.init)
  }

  /// Places in `countries` by the keys of names and codes.
  private static let places = Dictionary(
    countries.enumerated().flatMap { place, names in
      let parts = names.contains("UK") ? otherParts.union(["england"]) : []
      return (names.map(StateNames.key) + parts).map { ($0, place) }
    }, uniquingKeysWith: { first, _ in first })

  /// ISO 3166, with names that people write besides: two letters, three letters, names.
  private static let list = """
    AD AND Andorra
    AE ARE United Arab Emirates; UAE
    AF AFG Afghanistan
    AG ATG Antigua and Barbuda
    AI AIA Anguilla
    AL ALB Albania; Shqipëria
    AM ARM Armenia
    AO AGO Angola
    AQ ATA Antarctica
    AR ARG Argentina
    AS ASM American Samoa
    AT AUT Austria; Österreich
    AU AUS Australia
    AW ABW Aruba
    AX ALA Åland Islands
    AZ AZE Azerbaijan
    BA BIH Bosnia and Herzegovina
    BB BRB Barbados
    BD BGD Bangladesh
    BE BEL Belgium; Belgique; België
    BF BFA Burkina Faso
    BG BGR Bulgaria; България
    BH BHR Bahrain
    BI BDI Burundi
    BJ BEN Benin
    BL BLM Saint Barthélemy
    BM BMU Bermuda
    BN BRN Brunei
    BO BOL Bolivia
    BQ BES Bonaire, Sint Eustatius and Saba
    BR BRA Brazil; Brasil
    BS BHS Bahamas
    BT BTN Bhutan
    BV BVT Bouvet Island
    BW BWA Botswana
    BY BLR Belarus
    BZ BLZ Belize
    CA CAN Canada
    CC CCK Cocos Islands
    CD COD Democratic Republic of the Congo
    CF CAF Central African Republic
    CG COG Congo
    CH CHE Switzerland; Schweiz; Suisse; Svizzera
    CI CIV Côte d'Ivoire; Ivory Coast
    CK COK Cook Islands
    CL CHL Chile
    CM CMR Cameroon
    CN CHN China; 中国
    CO COL Colombia
    CR CRI Costa Rica
    CU CUB Cuba
    CV CPV Cabo Verde; Cape Verde
    CW CUW Curaçao
    CX CXR Christmas Island
    CY CYP Cyprus
    CZ CZE Czechia; Czech Republic; Česko
    DE DEU Germany; Deutschland
    DJ DJI Djibouti
    DK DNK Denmark; Danmark
    DM DMA Dominica
    DO DOM Dominican Republic
    DZ DZA Algeria
    EC ECU Ecuador
    EE EST Estonia; Eesti
    EG EGY Egypt; مصر
    EH ESH Western Sahara
    ER ERI Eritrea
    ES ESP Spain; España
    ET ETH Ethiopia
    FI FIN Finland; Suomi
    FJ FJI Fiji
    FK FLK Falkland Islands
    FM FSM Micronesia
    FO FRO Faroe Islands; Føroyar
    FR FRA France
    GA GAB Gabon
    GB GBR United Kingdom; Great Britain; UK
    GD GRD Grenada
    GE GEO Georgia
    GF GUF French Guiana
    GG GGY Guernsey
    GH GHA Ghana
    GI GIB Gibraltar
    GL GRL Greenland; Kalaallit Nunaat
    GM GMB Gambia
    GN GIN Guinea
    GP GLP Guadeloupe
    GQ GNQ Equatorial Guinea
    GR GRC Greece; Ελλάδα; Hellas
    GS SGS South Georgia and the South Sandwich Islands
    GT GTM Guatemala
    GU GUM Guam
    GW GNB Guinea-Bissau
    GY GUY Guyana
    HK HKG Hong Kong
    HN HND Honduras
    HR HRV Croatia; Hrvatska
    HT HTI Haiti
    HU HUN Hungary; Magyarország
    ID IDN Indonesia
    IE IRL Ireland; Éire; Republic of Ireland
    IL ISR Israel; ישראל
    IM IMN Isle of Man
    IN IND India
    IO IOT British Indian Ocean Territory
    IQ IRQ Iraq
    IR IRN Iran
    IS ISL Iceland; Ísland
    IT ITA Italy; Italia
    JE JEY Jersey
    JM JAM Jamaica
    JO JOR Jordan
    JP JPN Japan; 日本
    KE KEN Kenya
    KG KGZ Kyrgyzstan
    KH KHM Cambodia
    KI KIR Kiribati
    KM COM Comoros
    KN KNA Saint Kitts and Nevis
    KP PRK North Korea
    KR KOR South Korea; 한국; Korea
    KW KWT Kuwait
    KY CYM Cayman Islands
    KZ KAZ Kazakhstan
    LA LAO Laos
    LB LBN Lebanon
    LC LCA Saint Lucia
    LI LIE Liechtenstein
    LK LKA Sri Lanka
    LR LBR Liberia
    LS LSO Lesotho
    LT LTU Lithuania; Lietuva
    LU LUX Luxembourg
    LV LVA Latvia; Latvija
    LY LBY Libya
    MA MAR Morocco
    MC MCO Monaco
    MD MDA Moldova
    ME MNE Montenegro
    MF MAF Saint Martin
    MG MDG Madagascar
    MH MHL Marshall Islands
    MK MKD North Macedonia; Macedonia
    ML MLI Mali
    MM MMR Myanmar; Burma
    MN MNG Mongolia
    MO MAC Macao; Macau
    MP MNP Northern Mariana Islands
    MQ MTQ Martinique
    MR MRT Mauritania
    MS MSR Montserrat
    MT MLT Malta
    MU MUS Mauritius
    MV MDV Maldives
    MW MWI Malawi
    MX MEX Mexico; México
    MY MYS Malaysia
    MZ MOZ Mozambique
    NA NAM Namibia
    NC NCL New Caledonia
    NE NER Niger
    NF NFK Norfolk Island
    NG NGA Nigeria
    NI NIC Nicaragua
    NL NLD Netherlands; Holland; Nederland; The Netherlands
    NO NOR Norway; Norge
    NP NPL Nepal
    NR NRU Nauru
    NU NIU Niue
    NZ NZL New Zealand; Aotearoa
    OM OMN Oman
    PA PAN Panama
    PE PER Peru
    PF PYF French Polynesia
    PG PNG Papua New Guinea
    PH PHL Philippines
    PK PAK Pakistan
    PL POL Poland; Polska
    PM SPM Saint Pierre and Miquelon
    PN PCN Pitcairn
    PR PRI Puerto Rico
    PS PSE Palestine
    PT PRT Portugal
    PW PLW Palau
    PY PRY Paraguay
    QA QAT Qatar
    RE REU Réunion
    RO ROU Romania; România
    RS SRB Serbia; Srbija
    RU RUS Russian Federation; Russia; Россия
    RW RWA Rwanda
    SA SAU Saudi Arabia
    SB SLB Solomon Islands
    SC SYC Seychelles
    SD SDN Sudan
    SE SWE Sweden; Sverige
    SG SGP Singapore
    SH SHN Saint Helena
    SI SVN Slovenia; Slovenija
    SJ SJM Svalbard and Jan Mayen
    SK SVK Slovakia; Slovensko
    SL SLE Sierra Leone
    SM SMR San Marino
    SN SEN Senegal
    SO SOM Somalia
    SR SUR Suriname
    SS SSD South Sudan
    ST STP Sao Tome and Principe
    SV SLV El Salvador
    SX SXM Sint Maarten
    SY SYR Syria
    SZ SWZ Eswatini; Swaziland
    TC TCA Turks and Caicos Islands
    TD TCD Chad
    TF ATF French Southern Territories
    TG TGO Togo
    TH THA Thailand
    TJ TJK Tajikistan
    TK TKL Tokelau
    TL TLS Timor-Leste; East Timor
    TM TKM Turkmenistan
    TN TUN Tunisia
    TO TON Tonga
    TR TUR Türkiye; Turkey
    TT TTO Trinidad and Tobago
    TV TUV Tuvalu
    TW TWN Taiwan; 臺灣
    TZ TZA Tanzania
    UA UKR Ukraine; Україна
    UG UGA Uganda
    UM UMI United States Minor Outlying Islands
    US USA United States; United States of America
    UY URY Uruguay
    UZ UZB Uzbekistan
    VA VAT Vatican City; Holy See
    VC VCT Saint Vincent and the Grenadines
    VE VEN Venezuela
    VG VGB British Virgin Islands
    VI VIR US Virgin Islands
    VN VNM Vietnam; Viet Nam
    VU VUT Vanuatu
    WF WLF Wallis and Futuna
    WS WSM Samoa
    YE YEM Yemen
    YT MYT Mayotte
    ZA ZAF South Africa
    ZM ZMB Zambia
    ZW ZWE Zimbabwe
    """
}
