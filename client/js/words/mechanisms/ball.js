export default {
  "en": {
    "names": {
      "ball": "sampled Hamming ball"
    },
    "odds_one": "Your device sends a tick or none for {some}: |as you chose {kept} in 100, |the opposite {other}.",
    "odds_some": "Your device sends a tick or none for {some}: |{enough} are as you chose {kept} in 100, |fewer {other}.| Drawn blindly, {enough} would be so {blind}.",
    "some_each": "each of the {options} options",
    "some_chosen": "{asked} of the {options} options, chosen at random",
    "enough_both": "both",
    "enough_all": "all {asked}",
    "enough_some": "at least {agree}",
    "sent_all": "for each of the {options} options, 1 for a tick or 0 for none.",
    "sent_chosen": "for each of the {options} options, 1 for a tick or 0 for none, or - if it was left out."
  },
  "ar": {
    "names": {
      "ball": "كرة هامينغ على عينة"
    },
    "odds_one": "يرسل جهازك عن {some} علامة أو عدمها: |كما اخترت في {kept} من كل 100 مرة، |وعكس ذلك في {other} منها.",
    "odds_some": "يرسل جهازك عن {some} علامة أو عدمها: |يطابق اختيارك {enough} في {kept} من كل 100 مرة، |وأقل من ذلك في {other} منها.| ولو كان السحب عشوائيًا تمامًا لطابقه {enough} في {blind} منها.",
    "some_each": "كل خيار من الخيارات (وعددها {options})",
    "some_chosen": "بعض الخيارات المختارة عشوائيًا ({asked} من {options})",
    "enough_both": "كلاهما",
    "enough_all": "كلها ({asked})",
    "enough_some": "{agree} منها على الأقل",
    "sent_all": "لكل خيار من الخيارات (وعددها {options}): 1 للعلامة أو 0 لعدمها.",
    "sent_chosen": "لكل خيار من الخيارات (وعددها {options}): 1 للعلامة أو 0 لعدمها، أو «-» إذا تُرك."
  },
  "de": {
    "names": {
      "ball": "Hamming-Kugel aus einer Stichprobe"
    },
    "odds_one": "Ihr Gerät sendet für {some} ein Häkchen oder keines: |in {kept} von 100 Fällen so, wie Sie gewählt haben, |in {other} umgekehrt.",
    "odds_some": "Ihr Gerät sendet für {some} ein Häkchen oder keines: |in {kept} von 100 Fällen stimmen {enough} mit Ihrer Wahl überein, |in {other} weniger.| Bei reinem Zufall wären es in {blind} von 100 Fällen {enough}.",
    "some_each": "jede der {options} Optionen",
    "some_chosen": "{asked} der {options} Optionen, durch Los bestimmt,",
    "enough_both": "beide",
    "enough_all": "alle {asked}",
    "enough_some": "mindestens {agree}",
    "sent_all": "für jede der {options} Optionen 1 für ein Häkchen oder 0 für keines.",
    "sent_chosen": "für jede der {options} Optionen 1 für ein Häkchen oder 0 für keines, oder -, wenn sie ausgelassen wurde."
  },
  "fr": {
    "names": {
      "ball": "boule de Hamming échantillonnée"
    },
    "odds_one": "Votre appareil envoie une coche ou aucune pour {some} : |comme vous l’avez choisi {kept} sur 100, |l’inverse {other}.",
    "odds_some": "Votre appareil envoie une coche ou aucune pour {some} : |{enough} sont comme vous l’avez choisi {kept} sur 100, |pas autant {other}.| Par pur hasard, {enough} le seraient {blind}.",
    "some_each": "chacune des {options} options",
    "some_chosen": "{asked} des {options} options, au hasard",
    "enough_both": "les deux",
    "enough_all": "les {asked}",
    "enough_some": "au moins {agree}",
    "sent_all": "pour chacune des {options} options, 1 pour une coche ou 0 pour aucune.",
    "sent_chosen": "pour chacune des {options} options, 1 pour une coche ou 0 pour aucune, ou - si elle a été laissée de côté."
  }
};
