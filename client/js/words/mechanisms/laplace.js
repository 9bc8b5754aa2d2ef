export default {
  "en": {
    "names": {
      "laplace": "discrete Laplace distribution"
    },
    "odds": "Your device sends a random number around yours. A guess between two equally likely answers is then |right at most {kept} in 100, |wrong at least {other}.",
    "sent": "one of {size} places on a line."
  },
  "ar": {
    "names": {
      "laplace": "توزيع لابلاس المتقطع"
    },
    "odds": "يرسل جهازك عددًا عشوائيًا حول عددك. ومن يخمّن بعد ذلك بين إجابتين متساويتي الاحتمال |يصيب في {kept} من كل 100 مرة على الأكثر، |ويخطئ في {other} منها على الأقل.",
    "sent": "موضع على خط (عدد مواضعه {size})."
  },
  "de": {
    "names": {
      "laplace": "diskrete Laplace-Verteilung"
    },
    "odds": "Ihr Gerät sendet eine zufällige Zahl um Ihre herum. Wer dann zwischen zwei gleich wahrscheinlichen Antworten rät, liegt |in höchstens {kept} von 100 Fällen richtig, |in mindestens {other} daneben.",
    "sent": "eine von {size} Stellen auf einer Linie."
  },
  "fr": {
    "names": {
      "laplace": "loi de Laplace discrète"
    },
    "odds": "Votre appareil envoie un nombre aléatoire autour du vôtre. Quand on devine ensuite entre deux réponses aussi probables l’une que l’autre, on a |raison au plus {kept} sur 100, |tort au moins {other}.",
    "sent": "l’un des {size} points d’une ligne."
  }
};
