package quality

// The threads of the half that constants are looked at on.
var tuningThreads = []thread{
	{
		subject:   "the dog",
		turns:     []string{"Guess what, I finally went to the shelter on Saturday.", "You got a dog? What breed is it?", "*A {0}, two years old. We call her {1}.", "Adorable. Does she sleep at night?"},
		choices:   [][]string{{"greyhound", "beagle", "poodle mix", "terrier", "corgi"}, {"Pixel", "Momo", "Biscuit", "Luna"}},
		questions: []string{"What kind of dog did {A} adopt?", "What is the name of {A}'s dog?"},
	},
	{
		subject:   "the new shop",
		turns:     []string{"I quit my job at the bank.", "Oh! What will you do instead?", "*I am opening a {0} with my cousin, just around the corner.", "Brave. When does it start?", "*In {1}, if the permit comes through."},
		choices:   [][]string{{"bakery", "bookshop", "bicycle workshop", "flower shop", "record store"}, {"April", "September", "November", "July"}},
		questions: []string{"What business is {A} starting?", "When will {A} open the new shop?"},
	},
	{
		subject:   "the race",
		turns:     []string{"My knee is finally better, the doctor says I can train again.", "Great! For what?", "*The {0} marathon. I signed up yesterday.", "That is only weeks away!"},
		choices:   [][]string{{"Lisbon", "Chicago", "Vienna", "Tokyo", "Boston"}},
		questions: []string{"Which marathon is {A} going to run?", "In which city does {A} want to race?"},
	},
	{
		subject:   "the cabin",
		turns:     []string{"We spent the whole summer in a tiny cabin.", "Where was that?", "*In the {0}, an hour from the next village. No phone, no lights.", "I would love that.", "*The best part was {1} every morning."},
		choices:   [][]string{{"Pyrenees", "Dolomites", "Highlands", "Carpathians", "Rockies"}, {"swimming in the lake", "picking berries", "watching deer", "baking bread on a fire"}},
		questions: []string{"Where did {A} spend the summer?", "What did {A} enjoy most about the holiday in the cabin?"},
	},
	{
		subject:   "grandmother's present",
		turns:     []string{"My grandmother left me something when she died.", "I am sorry. What was it?", "*An old {0}. I take lessons on it every Thursday now.", "She would be proud of you."},
		choices:   [][]string{{"cello", "accordion", "harp", "clarinet", "violin"}},
		questions: []string{"Which instrument is {A} learning?", "What did {A} inherit from the grandmother?"},
	},
	{
		subject:   "the allergy",
		turns:     []string{"I had to see the allergist last week.", "What did they find?", "*I must never eat {0} again. My throat closed completely.", "How scary. Did you have to go to hospital?", "*Yes, two nights at {1}."},
		choices:   [][]string{{"shellfish", "peanuts", "kiwi", "sesame", "hazelnuts"}, {"Saint Mary's", "the university clinic", "the county hospital"}},
		questions: []string{"What food is {A} allergic to?", "Where was {A} treated after the allergic reaction?"},
	},
	{
		subject:   "our bedtime book",
		turns:     []string{"*I have been reading {0} to my daughter before bed.", "Isn't that too long for her?", "She falls asleep after a page, so it will take us years."},
		choices:   [][]string{{"The Hobbit", "Moby Dick", "Watership Down", "Pippi Longstocking", "The Wind in the Willows"}},
		questions: []string{"Which book does {A} read to the child at bedtime?"},
	},
	{
		subject:   "the move",
		turns:     []string{"The landlord raised the rent again.", "So are you moving out?", "*We signed for a flat in {0}, third floor, with a balcony.", "How do you get to work from there?", "*By {1}, it takes forty minutes."},
		choices:   [][]string{{"the harbour district", "Oldtown", "the northern suburbs", "Riverside", "the university quarter"}, {"tram", "ferry", "bicycle", "train"}},
		questions: []string{"Where is {A} moving?", "How will {A} commute from the new apartment?"},
	},
	{
		subject:   "the Sunday group",
		turns:     []string{"I joined a group that meets every Sunday at the park.", "What do you do there?", "*We {0}, rain or shine. Last time there were thirty of us.", "Can anybody come?"},
		choices:   [][]string{{"pick up litter", "practise tai chi", "count birds", "play chess", "paint watercolours"}},
		questions: []string{"What does {A} do with the Sunday group?"},
	},
	{
		subject:   "my sister's wedding",
		turns:     []string{"My sister called from the airport.", "Is she finally coming to visit?", "*No, she got married in {0} without telling anyone.", "Your parents must be furious.", "*They only said they want a party in {1}."},
		choices:   [][]string{{"Las Vegas", "Bali", "Iceland", "Marrakesh", "Venice"}, {"May", "October", "December"}},
		questions: []string{"Where did {A}'s sister marry?", "When do {A}'s parents want to celebrate the wedding?"},
	},
	{
		subject:   "my arm",
		turns:     []string{"You will laugh, I broke my arm.", "How on earth did that happen?", "*I fell off {0} while showing off to my nephew.", "At your age!"},
		choices:   [][]string{{"a skateboard", "a camel", "the garage roof", "a trampoline", "a ladder"}},
		questions: []string{"How did {A} get injured?", "What did {A} fall from?"},
	},
	{
		subject:   "the course",
		turns:     []string{"*I started the evening course in {0} at the college.", "Is it hard?", "The teacher is patient, but the homework eats my weekends.", "What do you want to do with it?", "*One day I want to work as a {1}."},
		choices:   [][]string{{"sign language", "carpentry", "beekeeping", "Mandarin", "bookkeeping"}, {"translator", "volunteer abroad", "teacher", "freelancer"}},
		questions: []string{"What is {A} studying in the evenings?", "What career does {A} dream of?"},
	},
}

// The threads of the half that is reported. They were written before anything was
// measured on either, and nothing was changed after it was.
var reportedThreads = []thread{
	{
		subject:   "the garden",
		turns:     []string{"The garden is a disaster this year.", "Why, what happened to it?", "*The {0} ate all the {1} in one night.", "Can't you put up a net?"},
		choices:   [][]string{{"slugs", "rabbits", "pigeons", "caterpillars", "goats"}, {"lettuce", "strawberries", "tulips", "cabbages", "beans"}},
		questions: []string{"Which animals ruined {A}'s garden?", "What did {A} lose from the garden?"},
	},
	{
		subject:   "the car",
		turns:     []string{"My car broke down on the motorway yesterday.", "What was wrong with it?", "*The {0}. The mechanic wants {1} euros for a new one.", "Time to buy another car."},
		choices:   [][]string{{"gearbox", "alternator", "clutch", "radiator", "water pump"}, {"nine hundred", "two thousand", "four hundred", "fifteen hundred"}},
		questions: []string{"Which part of {A}'s car failed?", "How much does the repair of {A}'s vehicle cost?"},
	},
	{
		subject:   "the new job",
		turns:     []string{"I was promoted on Friday.", "Congratulations! To what?", "*They made me head of {0}, with twelve people under me.", "And the salary?", "*A bit more, and I have to go to {1} once a month."},
		choices:   [][]string{{"logistics", "customer service", "the laboratory", "accounting", "design"}, {"Rotterdam", "Singapore", "Toronto", "Munich"}},
		questions: []string{"What position did {A} get at work?", "Which city does {A} have to travel to for the company?"},
	},
	{
		subject:   "my birthday",
		turns:     []string{"We finally chose what to do for my fortieth birthday.", "Tell me!", "*We rent {0} and cook {1} for everybody.", "I will bring the wine."},
		choices:   [][]string{{"a lighthouse", "an old mill", "a houseboat", "the fire station", "a greenhouse"}, {"paella", "goulash", "dumplings", "lamb curry", "mussels"}},
		questions: []string{"Where will {A} celebrate the birthday?", "What dish is planned for {A}'s party?"},
	},
	{
		subject:   "giving it up",
		turns:     []string{"*I gave up {0} in January.", "And, do you miss it?", "Every single day. But the headaches are gone.", "Good for you."},
		choices:   [][]string{{"coffee", "sugar", "smoking", "television", "alcohol"}},
		questions: []string{"Which habit did {A} quit?", "What does {A} no longer consume?"},
	},
	{
		subject:   "my son and the school",
		turns:     []string{"My son came home with a letter from the headmaster.", "What did he do this time?", "*He {0} during the exam.", "Boys! And what is the punishment?", "*He has to {1} for two weeks."},
		choices:   [][]string{{"let a frog loose", "played the trumpet", "fell asleep", "swapped the papers", "set off the alarm"}, {"sweep the gym", "help in the kitchen", "water the plants", "sort the library"}},
		questions: []string{"Why was {A}'s child in trouble at school?", "How was {A}'s boy disciplined?"},
	},
	{
		subject:   "the neighbours",
		turns:     []string{"I can't sleep since the neighbours moved in.", "Are they that loud?", "*They practise {0} until midnight, right above my bed.", "Have you talked to them?", "*I left a note and {1} at their door."},
		choices:   [][]string{{"tap dancing", "the drums", "opera singing", "karate", "bagpipes"}, {"a cake", "earplugs", "a clock", "a bottle of wine"}},
		questions: []string{"What noise do the people upstairs make that disturbs {A}?", "What gift did {A} leave for the noisy neighbours?"},
	},
	{
		subject:   "the photograph",
		turns:     []string{"Remember the competition I entered with my photograph?", "Of course. Did you hear back?", "*It won {0} prize! The picture of the {1}.", "You must frame it."},
		choices:   [][]string{{"first", "second", "third", "the jury's"}, {"old fisherman", "frozen waterfall", "wedding in the rain", "fox at the bus stop", "empty theatre"}},
		questions: []string{"Which award did {A}'s photo receive?", "What did {A}'s successful photograph show?"},
	},
	{
		subject:   "the flight",
		turns:     []string{"*My flight was diverted to {0} because of the storm.", "How long were you stuck?", "*{1}, and they lost my suitcase on top of it.", "I will never understand airports."},
		choices:   [][]string{{"Reykjavik", "Madeira", "Cork", "Istanbul", "Gdansk"}, {"Nineteen hours", "Two days", "All night", "Three days"}},
		questions: []string{"Where did {A}'s plane land unexpectedly?", "How long was {A} delayed on the trip?"},
	},
	{
		subject:   "the results",
		turns:     []string{"The doctor gave me the results.", "And? Is it serious?", "*It's only {0}, no need for an operation.", "What a relief. What do you have to do?", "*Take {1} and rest until spring."},
		choices:   [][]string{{"low iron", "a pinched nerve", "an ulcer", "high blood pressure", "a vitamin deficiency"}, {"pills twice a day", "long walks", "warm baths", "injections"}},
		questions: []string{"What was {A} diagnosed with?", "What treatment was {A} prescribed?"},
	},
	{
		subject:   "the attic",
		turns:     []string{"I found something in the attic when we cleared it out.", "Treasure?", "*Almost: {0} from the war, wrapped in newspaper.", "Will you keep it?", "*No, I gave it to {1}."},
		choices:   [][]string{{"love letters", "a medal", "a diary", "a map", "a radio"}, {"the town museum", "my uncle", "a collector", "the church"}},
		questions: []string{"What did {A} discover under the roof?", "To whom did {A} hand over the discovery?"},
	},
	{
		subject:   "the choir",
		turns:     []string{"The choir is looking for new voices, by the way.", "Are you still singing there?", "*Twice a week. In {0} we perform {1} in the cathedral.", "Save me a seat."},
		choices:   [][]string{{"March", "June", "August", "Advent"}, {"Mozart's Requiem", "the Messiah", "the Creation", "Carmina Burana"}},
		questions: []string{"Which piece does {A}'s choir rehearse?", "When is {A}'s concert?"},
	},
}

// The threads of others, about other things; nobody asks about them.
var otherThreads = []thread{
	{turns: []string{"The washing machine flooded the bathroom.", "Did it reach the neighbours below?", "Luckily not, but the {0} is ruined and the plumber comes on {1}.", "You poor thing."}, choices: [][]string{{"carpet", "wallpaper", "wooden floor", "bath mat"}, {"Monday", "Tuesday", "Thursday", "Friday"}}},
	{turns: []string{"Did you watch the match last night?", "Only the second half. Who scored?", "{0}, in the last minute, after a terrible mistake of the keeper.", "My father must have thrown the remote."}, choices: [][]string{{"Keller", "Okafor", "Silvestre", "Nakamura", "Lindqvist"}}},
	{turns: []string{"I tried that recipe you sent me.", "And, how did the {0} turn out?", "Burnt on the outside and raw inside, we ordered pizza.", "You have to lower the heat to {1} degrees."}, choices: [][]string{{"lasagne", "cheesecake", "roast", "soufflé", "quiche"}, {"160", "180", "140"}}},
	{turns: []string{"The council wants to close the library.", "They can't do that!", "There is a petition. We already have {0} signatures.", "Where can I sign?", "At the {1}, every afternoon."}, choices: [][]string{{"three hundred", "a thousand", "ninety", "two hundred"}, {"market", "station", "town hall", "post office"}}},
	{turns: []string{"My phone fell into the {0}.", "Did you put it in rice?", "All weekend. Now only the {1} does not work.", "Mine survived worse."}, choices: [][]string{{"canal", "soup", "toilet", "pool"}, {"camera", "loudspeaker", "microphone", "flashlight"}}},
	{turns: []string{"We have mice in the kitchen.", "Get a cat!", "The landlord forbids it, so we bought {0}.", "Poor mice. Do they work?", "One caught my {1} so far."}, choices: [][]string{{"traps", "an ultrasonic thing", "peppermint oil"}, {"toe", "sleeve", "broom"}}},
	{turns: []string{"Our train stood in a tunnel for hours.", "Was there at least an announcement?", "Only that {0} were on the track.", "It is always the same line."}, choices: [][]string{{"cows", "branches", "leaves", "sheep", "workers"}}},
	{turns: []string{"I found a new podcast about {0}.", "You and your podcasts. Is it good?", "The host whispers so much that I fall asleep, which is perfect.", "Send me the link."}, choices: [][]string{{"shipwrecks", "ancient Rome", "mushrooms", "unsolved crimes", "stars"}}},
	{turns: []string{"The elections are next week, have you decided?", "I go back and forth. You?", "For the first time I might vote for the {0}.", "Don't tell my mother."}, choices: [][]string{{"greens", "liberals", "pirates", "independents"}}},
	{turns: []string{"I sold my old sofa online.", "How much did you get?", "{0} euros and a {1}, the buyer had no more cash.", "That is a story for the grandchildren."}, choices: [][]string{{"Forty", "Eighty", "Fifty"}, {"lamp", "crate of beer", "bonsai", "jar of honey"}}},
}
