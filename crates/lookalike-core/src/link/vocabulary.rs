//! Words that reveal the kind of a column: common names of people in many countries, words in names of organizations,
//! and common column headers. A guess needs only some of the values to be among them.
//!
//! Nicknames are here too, since no measure based on letters finds Bill in William.

/// Common given names.
pub(super) const GIVEN_NAMES: &str = "
    aaron abigail adam agnieszka ahmed aisha alan albert alexander alexis alfie ali alice amanda amber amelia amit
    amy ana andrea andreas andrew angela anil ann anna anthony antonio archie arthur ashley austin bailey barbara
    benjamin betty beverly billy bjorn bobby bradley brandon brenda brian brittany brooke bruce bruno bryan caleb
    camille carl carlos carmen carol carolyn catherine charles charlie charlotte cheryl chiara chloe christian
    christina christine christopher claire cynthia daniel danielle david deborah debra deepak denise dennis diana
    diane diego dieter dmitri donald donna doris dorothy douglas dylan edward elena elijah elizabeth ella emily emma
    eric erik ethan evelyn evie fatima frances francesca francisco francois frank freddie freya gabriel gary george
    gerald giovanni giulia giuseppe gloria grace gregory hannah hans harold harry hassan heather helen henry hui
    hussein ibrahim ingrid isabella isabelle isla ivan jack jacob jacqueline jacques james jan janet janice jarrod
    jason javier jean jeffrey jennifer jeremy jerry jesse jessica joan joao joe john jonathan jordan jorge jose
    joseph joshua joyce juan judith judy julia julie jun jurgen justin karen katarzyna katherine kathleen kathryn
    kayla keith kelly kenneth kevin kimberly klaus kyle kylie lachlan larry lars laura lauren lawrence leo li liam
    lily linda lisa logan lori luca lucas lucia luis madison manuel marco margaret maria marie marilyn mark markus
    martha mary mason matthew megan melissa mia michael michel michelle miguel ming mitchell mohammed monika muhammad
    nancy natalie natasha nathan nicholas nicolas nicole nils noah olga oliver olivia omar oscar pablo pamela paolo
    patricia patrick paul paulo pawel pedro peter petra philippe pierre piotr poppy priya rachel raj randy ravi
    raymond rebecca richard rita robert roger ronald rosa roy russell ruth ryan sabine samantha samuel sandra sanjay
    sara sarah scott sean sergei sharon shirley sofia sophia stefan stephanie stephen steven sunita susan sven
    tatiana teresa terry theo theresa thomas timothy tyler ursula victoria vincent virginia vladimir walter wayne wei
    william willie wolfgang yan yusuf zachary zainab
";

/// Common family names.
pub(super) const FAMILY_NAMES: &str = "
    adams ahmed allen alvarez anderson andersson bailey baker becker bennett bianchi brooks brown campbell carter
    castillo chavez chen clark collins cook cooper cox cruz davis diaz dubois durand edwards esposito evans ferrari
    fischer flores foster garcia gomez gonzalez gray green gutierrez hall hansen harris hernandez hill hoffmann
    howard huang hughes hussain ivanov jackson james jimenez johansen johansson johnson jones kelly khan kim king
    kowalski kumar lee leroy lewis liu long lopez martin martinez mendoza meyer miller mitchell moore morales moreau
    morgan morris muller murphy myers nelson nguyen novak nowak oliveira olsen ortiz parker patel pereira perez
    peterson petrov phillips price ramirez ramos reed reyes richardson rivera roberts robinson rodriguez rogers ross
    rossi ruiz russo sanchez sanders santos sato schmidt schneider schulz scott sharma silva singh smith souza
    stewart suzuki tanaka taylor thomas thompson torres turner wagner walker wang ward watanabe watson weber white
    williams wilson wood wright yang young zhang
";

/// Words that occur in names of organizations.
pub(super) const ORGANIZATION_WORDS: &str = "
    ab academy ag agency associates association bakery bank bar bistro bv cafe center center church clinic club co
    college company consulting corp corporation council daycare deli department electronics enterprises entertainment
    foundation gmbh grill group holdings hospital hotel inc incorporated industries institute insurance international
    kindergarten library limited llc llp ltd market media ministry motors museum nursery nv oy partners
    pharmaceuticals pharmacy pizzeria plc press pty publishing restaurant sa school services shop society software
    solutions spa srl store studio systems technologies theatre university
";

/// Forms of the same name, one name per line.
pub(super) const NICKNAMES: &str = "
alexander alex alec sandy xander
alexandra alex sandra sandy lexi
andrew andy drew
anthony tony
barbara barb babs
benjamin ben benny
catherine kate katie cathy kathy katherine kathryn kit
charles charlie chuck chas
christopher chris kit topher
christine christina chris tina
daniel dan danny
david dave davey
deborah debra deb debbie
dorothy dot dottie dolly
edward ed eddie ted ned
eleanor ellie nell nora
elizabeth liz lizzie beth betty eliza elsie lisa libby
frances fran frannie
francis frank francisco paco
frederick fred freddie
george geordie
gerald gerry jerry
gregory greg
harold harry hal
henry harry hank hal
isabella isabel bella izzy
jacob jake jack
james jim jimmy jamie
jennifer jen jenny
jessica jess jessie
john jack johnny jon
jonathan jon johnny
joseph joe joey jose pepe
joshua josh
kenneth ken kenny
lawrence larry laurence
leonard len lenny leo
margaret maggie meg peggy marge rita greta
matthew matt
michael mike mick mickey micky
nathaniel nathan nate nat
nicholas nick nicky nico
pamela pam
patricia pat patty trish tricia
patrick pat paddy
peter pete
philip phillip phil pip
rebecca becky becca
richard rick dick rich ricky
robert bob rob bobby robbie bert
ronald ron ronnie
samuel sam sammy
samantha sam sammie
stephen steven steve stevie
susan sue susie suzanne
terence terry
theodore ted theo teddy
theresa teresa terry tess
thomas tom tommy
timothy tim timmy
victoria vicky tori
vincent vince vinnie
virginia ginny
walter walt wally
william bill will billy willy liam
zachary zach zack
";
