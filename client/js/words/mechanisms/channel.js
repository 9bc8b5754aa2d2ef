export default {
  "en": {
    "names": {
      "channel": "finite channel for means"
    },
    "odds": "Your device sends a random number around yours. A guess between two equally likely answers is then |right at most {kept} in 100, |wrong at least {other}.",
    "odds_extras": "Your device sends a random number around yours. A guess between two equally likely answers is then |right at most {kept} in 100, |wrong at least {other}.| It may also send, at random, that you gave none.",
    "sent": "one of {size} numbers of a public table."
  },
  "ar": {
    "names": {
      "channel": "قناة منتهية للمتوسطات"
    },
    "odds": "يرسل جهازك عددًا عشوائيًا حول عددك. ومن يخمّن بعد ذلك بين إجابتين متساويتي الاحتمال |يصيب في {kept} من كل 100 مرة على الأكثر، |ويخطئ في {other} منها على الأقل.",
    "odds_extras": "يرسل جهازك عددًا عشوائيًا حول عددك. ومن يخمّن بعد ذلك بين إجابتين متساويتي الاحتمال |يصيب في {kept} من كل 100 مرة على الأكثر، |ويخطئ في {other} منها على الأقل.| وقد يرسل جهازك عشوائيًا أيضًا أنك لم تذكر عددًا.",
    "sent": "قيمة من جدول علني (عدد قيمه {size})."
  },
  "de": {
    "names": {
      "channel": "endlicher Kanal für Mittelwerte"
    },
    "odds": "Ihr Gerät sendet eine zufällige Zahl um Ihre herum. Wer dann zwischen zwei gleich wahrscheinlichen Antworten rät, liegt |in höchstens {kept} von 100 Fällen richtig, |in mindestens {other} daneben.",
    "odds_extras": "Ihr Gerät sendet eine zufällige Zahl um Ihre herum. Wer dann zwischen zwei gleich wahrscheinlichen Antworten rät, liegt |in höchstens {kept} von 100 Fällen richtig, |in mindestens {other} daneben.| Durch Zufall kann es auch senden, dass Sie keine Zahl angegeben haben.",
    "sent": "eine von {size} Zahlen einer öffentlichen Tabelle."
  },
  "fr": {
    "names": {
      "channel": "canal fini pour les moyennes"
    },
    "odds": "Votre appareil envoie un nombre aléatoire autour du vôtre. Quand on devine ensuite entre deux réponses aussi probables l’une que l’autre, on a |raison au plus {kept} sur 100, |tort au moins {other}.",
    "odds_extras": "Votre appareil envoie un nombre aléatoire autour du vôtre. Quand on devine ensuite entre deux réponses aussi probables l’une que l’autre, on a |raison au plus {kept} sur 100, |tort au moins {other}.| Il peut aussi envoyer, au hasard, que vous n’avez pas donné de nombre.",
    "sent": "l’un des {size} nombres d’une table publique."
  }
};
